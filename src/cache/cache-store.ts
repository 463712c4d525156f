import { LRUCache } from 'lru-cache'
import type { DataVersion, DataVersionReader, Dependencies } from '../read-models/data-version/read.ts'
import type { Content } from './representations.ts'

export interface Answer {
  /** The newest version at which it is known to be right. */
  version: DataVersion
  /** Whether it is that of its version for certain, and not of one that came while it was being made. */
  isExact: boolean
  /** Milliseconds since 1970: where the clock is set back, an answer of later is not given. */
  madeAt: number
  /** Milliseconds since 1970 at which it was last known to be right. */
  confirmedAt: number
  /** Milliseconds since 1970 at which it changes although no data does. */
  validUntil: number
  content: Content
  totalCount: number | undefined
  dependencies: Dependencies | undefined
}

/** What an entry takes besides its bytes and its question: objects, their places in tables, the allocator (see decision 18). */
const ENTRY_BYTES = 2000

/** Answers in memory by their questions, at most `maxBytes`, those that were asked for last. */
export function keepAnswers({ maxBytes, hasChanged }: { maxBytes: number } & Pick<DataVersionReader, 'hasChanged'>) {
  const kept = new LRUCache<string, Answer>({
    // The cache wants a positive size; one byte keeps nothing.
    maxSize: Math.max(maxBytes, 1),
    sizeCalculation: ({ content, dependencies }, question) =>
      ENTRY_BYTES +
      content.plain.length +
      content.encodedBytes +
      question.length +
      8 * ((dependencies?.campaignKeys.length ?? 0) + (dependencies?.recordKeys?.length ?? 0)),
  })

  return {
    /** An answer that took so long that one of a later version has been known to be right meanwhile is not kept. */
    keep(question: string, answer: Answer) {
      const other = kept.peek(question)
      const isLate =
        other !== undefined && other.confirmedAt > answer.madeAt && isEarlier(answer.version, other.version)
      if (!isLate) kept.set(question, answer)
    },

    /** Counts what has come to an answer, if it is still kept. */
    measureAgain: (question: string, answer: Answer) =>
      void (kept.peek(question) === answer && kept.set(question, answer)),

    /** The answer to a question, if it is still right at a version; it is known to be right `now`, then. */
    recall(question: string, version: DataVersion, now: number) {
      const answer = kept.get(question)
      if (answer === undefined || answer.madeAt > now || now >= answer.validUntil) return undefined
      if (!answer.isExact && version.asOf.blocks.size > 0) return undefined
      if (hasChanged(answer.version, version, answer.dependencies)) return undefined
      answer.version = version
      answer.confirmedAt = now
      return answer
    },

    /** The answer to a question, if it was right less than `withinMs` ago. */
    recallOld(question: string, now: number, withinMs: number) {
      const answer = kept.get(question)
      if (answer === undefined) return undefined
      const age = now - answer.confirmedAt
      return age >= 0 && age < withinMs ? answer : undefined
    },
  }
}

const isEarlier = (version: DataVersion, other: DataVersion) =>
  version.history < other.history || (version.history === other.history && version.revision < other.revision)
