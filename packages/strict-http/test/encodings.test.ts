import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createCompressor } from '../src/content/content-encodings.ts'

test('only so much is compressed at once; what is above goes as it is', async () => {
  const compress = createCompressor()
  const large = Buffer.alloc(20 * 1024 * 1024, 'a text that repeats itself ')
  const first = compress('gzip', large)
  expect(compress('gzip', large)).toBeUndefined()
  const few = Array.from({ length: 7 }, () => compress('br', Buffer.from('small')))
  expect(few.every((one) => one !== undefined)).toBe(true)
  expect(compress('br', Buffer.from('one more'))).toBeUndefined()
  expect(gunzipSync((await first) ?? '').equals(large)).toBe(true)
  await Promise.all(few)
  // Larger than all that there may be at once, but alone.
  const largest = Buffer.alloc(40 * 1024 * 1024, 'x')
  expect(brotliDecompressSync((await compress('br', largest)) ?? '').equals(largest)).toBe(true)
})
