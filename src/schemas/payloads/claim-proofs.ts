/** What is owed to an account in all, and the Merkle proof of it. */
export interface ClaimProof {
  /** Base units. */
  cumulativeAmount: string
  /** The root that the proof leads to. */
  root: string
  proof: readonly string[]
}

/** How a proof is stored, where others have what a validator has signed: what a claim hands to its contract. */
const STORED = /^proof:(\d+):(0x[0-9a-f]{64}):([0-9a-fx,]*)$/

/** A proof as one text. Nothing that a validator signs looks like it. */
export const toProofText = ({ cumulativeAmount, root, proof }: ClaimProof) =>
  `proof:${cumulativeAmount}:${root}:${proof.join(',')}`

/** A proof that was stored as text; undefined if it is none. */
export function readProofText(text: string): ClaimProof | undefined {
  const [, cumulativeAmount, root, words] = STORED.exec(text) ?? []
  if (cumulativeAmount === undefined || root === undefined || words === undefined) return undefined
  return { cumulativeAmount, root, proof: words === '' ? [] : words.split(',') }
}

/** The condition in SQL that such a column has a proof. */
export const isProof = (column: string) => `${column} like 'proof:%'`

const parts: readonly (keyof ClaimProof)[] = ['cumulativeAmount', 'root', 'proof']

/** Such a column's part in SQL: text, the words of the proof with commas. */
export const partOfProof = (column: string, part: keyof ClaimProof) =>
  `split_part(${column}, ':', ${parts.indexOf(part) + 2})`
