import type { AsOf } from '../../database/lookups/followed-chains.ts'

/** A state of the data that was committed at the time of the query. */
export interface DataVersion {
  revision: number
  /** Random for each revision: another history may reach the same one, but never the same epoch. */
  epoch: string
  /** Equal for versions with the same lists: the same campaigns, found and sorted alike. */
  listsVersion: string
  /** Which of the histories this process has seen: they differ after a failover or a restored backup. */
  history: number
  /** Milliseconds since 1970 at which the next campaign starts or ends. */
  nextChangeAt: number
  /** How far followed chains are, in the same snapshot: blocks without effects take no revision. */
  asOf: AsOf
}

/** What a response depends on, if that is less than all of the data. */
export interface Dependencies {
  /** Campaigns that it shows, with totals of their claims. */
  campaignKeys: readonly number[] | 'all'
  /** Whether it also depends on which campaigns there are, and how they are found. */
  onLists: boolean
  /** Campaigns that it shows without totals of their claims: new claims matter only if they spend an incentive. */
  recordKeys?: readonly number[]
  /** The claimants on whose claims and signatures it depends. */
  claimants?: readonly string[]
  /** By chain, the first block that the response shows as not final. */
  pendingBlocks?: ReadonlyMap<number, number>
  /** Milliseconds since 1970 at which it changes without any write; absent: when the next campaign starts or ends. */
  changesAt?: number
}

/** A state of the data as this process knows it. */
export type DataState = Pick<DataVersion, 'revision' | 'history'>

export interface DataVersionReader {
  /**
   * The committed version, of any history. One index lookup; if there are revisions that are new to this process, or a
   * campaign has started or ended, a second statement reads those revisions and when the next campaign does.
   */
  read(): Promise<DataVersion>
  /** Whether a response of an earlier version may be outdated at a later one; `undefined` depends on everything. */
  hasChanged(earlier: DataState, later: DataVersion, dependencies: Dependencies | undefined): boolean
  /** The state of a statement's snapshot by its `revisionStamp`; undefined if it is not, or no longer, known. */
  stateOf(stamp: string): DataState | undefined
}
