// Light or dark: as the system says, until the reader says otherwise.
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem("termnest-theme");
    } catch {
      return null; // a browser that keeps nothing
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
