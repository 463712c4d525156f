/*
 * The browser restores the place of an entry of its history at once, when the page may still be too short for it: the
 * entry keeps its place here too, and gets it back as soon as the page is that high.
 */

const USER_ACTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

let restoring: AbortController | undefined

/** To be called once, before anything else listens for clicks. */
export function keepScrollPosition() {
  const save = () => {
    if (restoring === undefined) history.replaceState({ scrollY }, '')
  }
  // Before a click leads on, and for going back from here without one.
  addEventListener('click', save, true)
  addEventListener('scrollend', save)
  addEventListener('popstate', ({ state }) => restore(positionOf(state)))
  restore(positionOf(history.state))
}

const positionOf = (state: unknown) =>
  typeof state === 'object' && state !== null && 'scrollY' in state ? Number(state.scrollY) : 0

function restore(position: number) {
  restoring?.abort()
  if (position === 0) return
  restoring = new AbortController()
  const { signal } = restoring
  // Calls back first when what the entry shows is laid out.
  const observer = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < Math.floor(position)) return
    scrollTo(0, position)
    restoring?.abort()
  })
  signal.addEventListener('abort', () => {
    observer.disconnect()
    restoring = undefined
  })
  observer.observe(document.body)
  for (const act of USER_ACTS) addEventListener(act, () => restoring?.abort(), { signal, passive: true, capture: true })
}
