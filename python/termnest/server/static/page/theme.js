// Light or dark mode: that of the system, until the reader chooses.
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem("termnest-theme");
    } catch {
      return null; // the browser does not allow storage
    }
  };
  const isDark = () => (stored() ?? (system.matches ? "dark" : "light")) === "dark";

  const show = () => {
    root.dataset.theme = isDark() ? "dark" : "light";
    document.getElementById("theme")?.setAttribute("aria-pressed", String(isDark()));
  };

  show();
  system.addEventListener("change", show);
  addEventListener("storage", show);
  document.addEventListener("DOMContentLoaded", () => {
    show();
    document.getElementById("theme").addEventListener("click", () => {
      const theme = root.dataset.theme === "dark" ? "light" : "dark";
      root.dataset.theme = theme;
      try {
        localStorage.setItem("termnest-theme", theme);
        show();
      } catch {
        document.getElementById("theme").setAttribute("aria-pressed", String(theme === "dark"));
      }
    });
  });
}
