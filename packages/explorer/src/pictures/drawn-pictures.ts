const SIZE = 36

type Colors = readonly [ground: string, color: string]

/** Ground and figure, each pair with enough contrast to tell them apart. */
const COLORS: readonly [Colors, ...Colors[]] = [
  ['#1d4ed8', '#bfdbfe'],
  ['#7c2d12', '#fed7aa'],
  ['#166534', '#bbf7d0'],
  ['#86198f', '#f5d0fe'],
  ['#9f1239', '#fecdd3'],
  ['#155e75', '#a5f3fc'],
  ['#3f3f46', '#fde68a'],
]

const SHAPES: readonly [string, ...string[]] = [
  '<circle cx="18" cy="18" r="9"/>',
  '<path d="M18 7 29 18 18 29 7 18z"/>',
  '<path d="M18 8 28.5 27h-21z"/>',
  '<path d="M9 9h8v8H9zM19 19h8v8h-8z"/><circle cx="23" cy="13" r="4"/><circle cx="13" cy="23" r="4"/>',
  '<path d="M8 22a10 10 0 0 1 20 0z"/><circle cx="18" cy="11" r="3"/>',
  '<path d="M8 12h20v3H8zM8 17h14v3H8zM8 22h20v3H8z"/>',
  '<path d="M18 8a10 10 0 1 0 10 10h-6a4 4 0 1 1-4-4z"/>',
]

/** A picture for a path, always the same. It stands for a logo, and is none. */
export function drawnPicture(path: string): string {
  const number = [...path].reduce(
    (sum, character) => (sum * 33 + (character.codePointAt(0) ?? 0)) % 4_294_967_291,
    5381,
  )
  const [ground, color] = pick(COLORS, number)
  const shape = pick(SHAPES, Math.floor(number / COLORS.length))
  const picture =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}">` +
    `<rect width="${SIZE}" height="${SIZE}" fill="${ground}"/><g fill="${color}">${shape}</g></svg>`
  return `data:image/svg+xml,${encodeURIComponent(picture)}`
}

const pick = <Of>(list: readonly [Of, ...Of[]], number: number): Of => list[number % list.length] ?? list[0]
