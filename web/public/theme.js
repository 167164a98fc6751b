// Runs before anything is painted, so that whoever has chosen a theme never sees the other one flash.
;(() => {
  try {
    const theme = localStorage.getItem('postern.theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // Where nothing may be stored, the system's preference counts.
  }
})()
