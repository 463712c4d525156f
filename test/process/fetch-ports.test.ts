import { expect, test } from 'vitest'
import { faultOfPort } from '../../src/fetch-ports.ts'

/** Ends a request before it connects, unless its port is blocked. */
const options: RequestInit = {}
Object.defineProperty(options, 'dispatcher', {
  value: {
    dispatch() {
      throw new Error('sent')
    },
  },
})

/** Whether this version of Node.js blocks a port. */
const isBlocked = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`, options).then(
    () => false,
    (error: Error) => error.cause instanceof Error && error.cause.message === 'bad port',
  )

test('every port that `fetch` blocks has a fault, and no other', async () => {
  // All up to where most of them end, around the last one, and one of each thousand.
  const ports = Array.from({ length: 7000 }, (_, port) => port + 1)
  for (let port = 10_000; port < 10_100; port += 1) ports.push(port)
  for (let port = 11_000; port < 65_536; port += 1000) ports.push(port)
  const blocked: number[] = []
  for (const port of ports) if (await isBlocked(port)) blocked.push(port)
  const faulty = ports.filter((port) => faultOfPort(new URL(`http://127.0.0.1:${port}/`)) !== undefined)
  expect(blocked).toContain(6000)
  expect(faulty).toEqual(blocked)
})

test('a port of no listener is a fault, and the default port is none', () => {
  expect(faultOfPort(new URL('http://127.0.0.1:0/'))).toContain('port 0')
  expect(faultOfPort(new URL('https://example.com/'))).toBeUndefined()
})
