/** Part of a listing. */
export interface Page<Entry> {
  entries: Entry[]
  /** Entries of the whole listing, when this page was asked for. */
  total: number
}

/** Asks for one page; the first is 1. */
type FetchPage<Entry> = (page: number, pageSize: number) => Promise<Page<Entry>>

/**
 * All entries of a listing, asked for page by page while they are iterated over; each iteration starts again. The order is
 * total, so that every entry of unchanged data comes once; what is added or removed meanwhile may shift others.
 */
export class Listing<Entry> implements AsyncIterable<Entry> {
  readonly #fetchPage: FetchPage<Entry>

  /** @param pageSize how many entries are asked for at a time, 1 to 100. It may be changed while iterating. */
  constructor(
    fetchPage: FetchPage<Entry>,
    public pageSize = 100,
  ) {
    this.#fetchPage = fetchPage
  }

  /**
   * The entries in pages, none empty but that of an empty listing. Where the page size was changed, the next page goes on
   * behind the last entry that was given, and may be shorter once.
   */
  async *pages(): AsyncGenerator<Page<Entry>, void, void> {
    for (let given = 0; ; ) {
      const { pageSize } = this
      if (!(pageSize >= 1)) throw new RangeError(`pageSize must be from 1 to 100, got ${pageSize}`)
      const { entries, total } = await this.#fetchPage(Math.floor(given / pageSize) + 1, pageSize)
      const fresh = entries.slice(given % pageSize)
      if (fresh.length > 0 || given === 0) yield { entries: fresh, total }
      given += fresh.length
      if (fresh.length === 0 || given >= total) return
    }
  }

  /** One page by its number, from 1, in pages of `pageSize`; empty past the end. */
  page(number: number): Promise<Page<Entry>> {
    return this.#fetchPage(number, this.pageSize)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Entry, void, void> {
    for await (const { entries } of this.pages()) yield* entries
  }
}

/** Asks for one page: the first without a cursor, each further one with that of the page before. */
type FetchFrom<Entry> = (
  cursor: { cursor?: string },
  pageSize: number,
) => Promise<{ entries: Entry[]; nextCursor: string | null }>

/**
 * All entries of a listing whose pages go on from each other, asked for page by page while they are iterated over; each
 * iteration starts again. What comes meanwhile shifts no page.
 */
export class CursorListing<Entry> implements AsyncIterable<Entry> {
  readonly #fetchFrom: FetchFrom<Entry>

  /** @param pageSize how many entries are asked for at a time, 1 to 100. It may be changed while iterating. */
  constructor(
    fetchFrom: FetchFrom<Entry>,
    public pageSize = 100,
  ) {
    this.#fetchFrom = fetchFrom
  }

  /** The entries in pages, none empty but that of an empty listing. */
  async *pages(): AsyncGenerator<Entry[], void, void> {
    for (let cursor: { cursor?: string } = {}; ; ) {
      const { pageSize } = this
      if (!(pageSize >= 1)) throw new RangeError(`pageSize must be from 1 to 100, got ${pageSize}`)
      const { entries, nextCursor } = await this.#fetchFrom(cursor, pageSize)
      if (entries.length > 0 || cursor.cursor === undefined) yield entries
      if (nextCursor === null) return
      cursor = { cursor: nextCursor }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Entry, void, void> {
    for await (const entries of this.pages()) yield* entries
  }
}
