"use strict";
// Sorts, filters, searches and opens the table of students. Without it the page reads the same, and nothing is hidden.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const form = document.querySelector(".controls");
  const search = document.getElementById("search");
  const problem = document.getElementById("problem");
  const only = document.getElementById("only");
  const shown = document.getElementById("shown");
  const BEFORE = 2; // columns before the first problem
  const UNKNOWN = -1; // an open score: last, whichever way is sorted
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const names = new Map(rows.map((row) => [row, row.querySelector("a").textContent]));
  const folded = new Map(rows.map((row) => [row, fold(names.get(row))]));

  function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  // Opening a row: each of its checks, named.

  function lists(row) {
    const made = element("div", "", "lists");
    data.problems.forEach(([slug, checks], place) => {
      const { hidden, dataset } = row.cells[BEFORE + place];
      const codes = dataset.c;
      if (!codes || hidden) return;
      const section = element("section");
      section.append(element("h3", slug));
      const list = element("ul");
      Array.from(codes).forEach((code, number) => {
        const [kind, sign, word] = data.statuses[code];
        const [name, promise] = checks[number] || ["", ""];
        const item = element("li");
        item.append(element("span", `${sign} ${word}`, `tag ${kind}`), ` ${promise} `, element("small", name));
        list.append(item);
      });
      section.append(list);
      made.append(section);
    });
    return made;
  }

  function close(row) {
    const button = row.querySelector(".open");
    if (button.getAttribute("aria-expanded") !== "true") return;
    button.setAttribute("aria-expanded", "false");
    button.textContent = "+";
    row.nextElementSibling.remove();
  }

  function toggle(row) {
    const button = row.querySelector(".open");
    if (button.getAttribute("aria-expanded") === "true") return close(row);
    button.setAttribute("aria-expanded", "true");
    button.textContent = "−";
    const opened = element("tr", "", "opened");
    const cell = element("td");
    cell.colSpan = heads.filter((head) => !head.hidden).length;
    cell.append(lists(row));
    opened.append(cell);
    row.after(opened);
  }

  // Sorting: by what a cell holds as a number, or by its text as people count.

  function sort(place, kind, head) {
    const before = head.getAttribute("aria-sort");
    const descending = before ? before === "ascending" : kind === "number";
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const way = descending ? -1 : 1;
    rows.forEach(close);
    const keyed = rows.map((row) => {
      const cell = row.cells[place];
      return [row, kind === "number" ? Number(cell.dataset.v) : place ? cell.textContent : names.get(row)];
    });
    keyed.sort(([one, a], [other, b]) => {
      if (kind === "number" && a !== b) return a === UNKNOWN ? 1 : b === UNKNOWN ? -1 : way * (a - b);
      if (kind === "text" && a !== b) return way * collator.compare(a, b);
      return collator.compare(names.get(one), names.get(other));
    });
    rows.splice(0, rows.length, ...keyed.map(([row]) => row));
    body.append(...rows);
  }

  // Filtering: by name, by one problem, and by a status or by what else holds of a student.

  function holds(row, wanted, chosen) {
    if (!wanted) return true;
    if (wanted.startsWith("+")) return (row.dataset.f || "").split(" ").includes(wanted.slice(1));
    const cells = chosen === "" ? Array.from(row.cells).slice(BEFORE) : [row.cells[BEFORE + Number(chosen)]];
    return cells.some((cell) => cell.classList.contains(wanted));
  }

  function filter() {
    const text = fold(search.value.trim());
    let number = 0;
    rows.forEach((row) => {
      row.hidden = !(folded.get(row).includes(text) && holds(row, only.value, problem.value));
      if (row.hidden) close(row);
      number += !row.hidden;
    });
    shown.textContent = `${number} of ${rows.length} students`;
  }

  function choose() {
    const chosen = problem.value === "" ? -1 : BEFORE + Number(problem.value);
    rows.forEach(close);
    const cells = [Array.from(table.querySelectorAll("col")), heads, ...rows.map((row) => row.cells)];
    for (const columns of cells) {
      for (let place = BEFORE; place < BEFORE + data.problems.length; place += 1) {
        columns[place].hidden = chosen >= 0 && place !== chosen;
      }
    }
    filter();
  }

  heads.forEach((head, place) => {
    const button = element("button");
    button.type = "button";
    const label = element("span");
    label.append(...head.childNodes);
    button.append(label);
    button.addEventListener("click", () => sort(place, head.dataset.sort, head));
    head.append(button);
  });
  rows.forEach((row) => {
    const button = element("button", "+", "open");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-label", `Checks of ${names.get(row)}`);
    row.cells[0].prepend(button);
  });
  body.addEventListener("click", (event) => {
    const button = event.target.closest(".open");
    if (button) toggle(button.closest("tr"));
  });
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 80);
  });
  only.addEventListener("change", filter);
  problem.addEventListener("change", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(choose));
  form.hidden = false;
  filter();
})();
