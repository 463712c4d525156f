/*
 * Prints what the Transaction Builder of a Safe loads, to claim everything that an account can claim on a chain:
 *
 *   node safe-batch.mjs https://rewards.example 8453 0x… > claim.json
 *
 * The rewards go to the account, whoever sends. Without a Safe, send the same by `eth_sendTransaction`, with the value in hexadecimal.
 */
import { createClient } from 'reward-campaigns-client'

const [baseUrl = 'http://localhost:3000', chainId = '', account = ''] = process.argv.slice(2)
const client = createClient({ baseUrl })
const claims = await client.claimTransactions(account, { chainId: [Number(chainId)] })
if (claims.length === 0) throw new Error(`${account} can claim nothing on chain ${chainId} by a transaction`)
const transactions = claims.map(({ to, value, data }) => ({ to, value, data }))
console.log(JSON.stringify({ version: '1.0', chainId, createdAt: Date.now(), meta: {}, transactions }))
