/** Shortens a text so that it fits, its end replaced by “…”; `measure` says how wide a text is. */
export function shorten(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text
  const characters = [...text]
  let [fits, tooMany] = [0, characters.length]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (measure(cut(characters, middle)) <= width) fits = middle
    else tooMany = middle
  }
  return cut(characters, fits)
}

function cut(characters: readonly string[], count: number): string {
  return `${characters.slice(0, count).join('').trimEnd()}…`
}

let drawing: CanvasRenderingContext2D | null | undefined

/** Measures texts as the page draws them. `font` is a weight and a size, as in CSS. */
export function measureIn(font: string): (text: string) => number {
  drawing ??= document.createElement('canvas').getContext('2d')
  const family = getComputedStyle(document.body).fontFamily
  return (text) => {
    if (!drawing) return 0
    drawing.font = `${font} ${family}`
    return drawing.measureText(text).width
  }
}
