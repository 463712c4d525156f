/** More are thinned out, the oldest with the others: at one a second, half an hour is exact. */
const MOST_POSITIONS = 2000

/**
 * Where the log of a primary was, and when that was first seen: so how late a replica is can be told by our clock alone,
 * also where nothing is written, and where nothing comes from the primary any more.
 */
export function rememberPositions() {
  let positions: { at: number; position: number }[] = []
  let lookedAt = 0

  return {
    /** @param at milliseconds of a clock that only goes forward. */
    add(at: number, position: number) {
      const last = positions.at(-1)
      // Another server, after a failover.
      if (last !== undefined && position < last.position) positions = []
      if (last?.position !== position) positions.push({ at, position })
      if (positions.length > MOST_POSITIONS) positions = positions.filter((_, index) => index % 2 === 0)
      lookedAt = at
    },

    /**
     * Milliseconds since the oldest of them that has not been replayed was seen, when the primary was last looked at: what
     * it has written since, nobody knows.
     */
    lagOf(replayed: number) {
      const missed = positions.find(({ position }) => position > replayed)
      return missed === undefined ? 0 : lookedAt - missed.at
    },
  }
}
