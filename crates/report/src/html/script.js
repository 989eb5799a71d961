"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, of) => Array.from((of || document).querySelectorAll(selector));
  const press = (buttons, pressed) =>
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === pressed)));

  const languages = all("button[data-language]");
  languages.forEach((button) =>
    button.addEventListener("click", () => {
      root.lang = button.dataset.language;
      press(languages, button);
    }));

  const themes = all("button[data-set-theme]");
  themes.forEach((button) =>
    button.addEventListener("click", () => {
      if (button.dataset.setTheme === "auto") root.removeAttribute("data-theme");
      else root.dataset.theme = button.dataset.setTheme;
      press(themes, button);
    }));

  all("button[data-print]").forEach((b) => b.addEventListener("click", () => window.print()));

  // A cell's key is its number where it has one, and its text otherwise; what has no key goes last.
  const key = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return null;
    if (cell.dataset.key !== undefined) return cell.dataset.key === "" ? null : Number(cell.dataset.key);
    return cell.textContent.trim();
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  all("table.sortable").forEach((table) => {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      if (!button) return;
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending" &&
          (head.getAttribute("aria-sort") === "ascending" || head.classList.contains("num"));
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const keyed = Array.from(body.rows).map((row) => [key(row, column), row]);
        keyed.sort(([a], [b]) => {
          if (a === null || b === null) return (a === null) - (b === null);
          return down ? compare(b, a) : compare(a, b);
        });
        body.append(...keyed.map(([, row]) => row));
      });
    });
  });

  all("button[data-download]").forEach((button) =>
    button.addEventListener("click", () => {
      const data = document.getElementById(button.dataset.download).textContent;
      const url = URL.createObjectURL(new Blob([data], { type: "application/json" }));
      const link = document.createElement("a");
      link.href = url;
      link.download = button.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    }));

  all("button[data-copy]").forEach((button) =>
    button.addEventListener("click", () => {
      const pre = button.parentElement.querySelector("pre");
      const done = () => button.classList.add("copied");
      const select = () => getSelection().selectAllChildren(pre);
      if (navigator.clipboard) navigator.clipboard.writeText(pre.textContent).then(done, select);
      else select();
    }));

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    closed.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((d) => { d.open = false; }));
})();
