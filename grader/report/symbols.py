"""The characters that stand for LaTeX commands; data alone."""

from __future__ import annotations

# ruff: noqa: RUF001 - characters that look like others are what this table is for

_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ",
    "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
    "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_LETTERS = {
    "ell": "ℓ", "partial": "∂", "nabla": "∇", "infty": "∞", "emptyset": "∅", "varnothing": "∅", "top": "⊤",
    "bot": "⊥", "prime": "′", "hbar": "ℏ", "Re": "Re", "Im": "Im", "imath": "ı", "jmath": "ȷ", "degree": "°",
    "dots": "…", "ldots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "S": "§", "dagger": "†", "checkmark": "✓",
    "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "|": "‖", "Vert": "‖",
    "lVert": "‖", "rVert": "‖", "vert": "|", "lvert": "|", "rvert": "|", "lbrace": "{", "rbrace": "}", "{": "{",
    "}": "}", "_": "_", "%": "%", "#": "#", "&": "&", "$": "$", "backslash": "\\", "forall": "∀", "exists": "∃",
    "neg": "¬", "lnot": "¬", "square": "□", "star": "⋆", "ast": "∗",
}  # fmt: skip
_BETWEEN = {
    "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠",
    "approx": "≈", "sim": "∼", "simeq": "≃", "equiv": "≡", "cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫",
    "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "supset": "⊃", "supseteq": "⊇",
    "cup": "∪", "cap": "∩", "setminus": "∖", "to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←",
    "longrightarrow": "⟶", "mapsto": "↦", "Rightarrow": "⇒", "Leftarrow": "⇐", "implies": "⇒", "iff": "⇔",
    "Leftrightarrow": "⇔", "leftrightarrow": "↔", "uparrow": "↑", "downarrow": "↓", "pm": "±", "mp": "∓",
    "times": "×", "div": "÷", "oplus": "⊕", "otimes": "⊗", "circ": "∘", "wedge": "∧", "land": "∧", "vee": "∨",
    "lor": "∨", "perp": "⊥", "parallel": "∥", "mid": "|", "coloneqq": "≔", "triangleq": "≜", "vdash": "⊢",
    "bmod": "mod", "colon": ":",
}  # fmt: skip
_BIG = {
    "sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁",
}  # fmt: skip
_NAMED = (
    "log", "ln", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "max", "min",
    "sup", "inf", "lim", "limsup", "liminf", "arg", "det", "dim", "ker", "deg", "gcd", "Pr", "argmax", "argmin",
)  # fmt: skip

LETTERS = _GREEK | _LETTERS
BETWEEN = _BETWEEN
OPERATORS = _BIG | {name: name for name in _NAMED}
SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "!": "", "quad": "\u2003", "qquad": "\u2003\u2003", "/": "", "-": ""}
DROPPED = {
    "left", "right", "middle", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr",
    "Biggl", "Biggr", "limits", "nolimits", "displaystyle", "textstyle", "scriptstyle", "nonumber", "notag",
    "hline", "boldmath", "rm", "bf", "it", "cal",
}  # fmt: skip
TEXT = {"text", "textrm", "textbf", "textit", "texttt", "textsf", "mbox", "hbox"}
UPRIGHT = {"mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathcal", "mathscr", "mathfrak", "boldsymbol", "bm"}
ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304",
    "overline": "\u0305", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7", "check": "\u030c", "underline": "\u0332",
}  # fmt: skip
DOUBLE_STRUCK = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ", "1": "𝟙"}
FRACTIONS = {("1", "2"): "½", ("1", "3"): "⅓", ("2", "3"): "⅔", ("1", "4"): "¼", ("3", "4"): "¾", ("1", "8"): "⅛"}
SUPERSCRIPTS = dict(
    zip(
        "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ⊤′",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡᵀ′",
        strict=True,
    )
)
SUBSCRIPTS = dict(zip("0123456789+-=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
