import type { Page } from 'playwright-core'

export interface Asked {
  method: string
  params?: readonly { to?: string; data?: string; value?: string; chainId?: string }[]
}

/** What a wallet does. Each returns, or throws what the wallet rejects with. */
export type Answers = Record<string, (asked: Asked) => unknown>

/** Stands in for wallets of the browser: they announce themselves as EIP-6963 says, and the test answers what they are asked. */
export async function withWallets(page: Page, names: readonly string[], answers: () => Answers) {
  const asked: Asked[] = []
  await page.exposeFunction('askWallet', async (call: Asked) => {
    asked.push(call)
    try {
      return { result: await answers()[call.method]?.(call) }
    } catch (error) {
      return { error }
    }
  })
  await page.addInitScript(`{
    const wallets = ${JSON.stringify(names)}.map((name) => {
      const listeners = {}
      const provider = {
        on: (event, listener) => (listeners[event] = listener),
        removeListener: (event) => delete listeners[event],
        async request({ method, params }) {
          const { result, error } = await askWallet({ method, params })
          if (error) throw error
          return result
        },
      }
      globalThis.emit = (event, value) => listeners[event]?.(value)
      return Object.freeze({ info: Object.freeze({ uuid: name, name, icon: 'data:,', rdns: name }), provider })
    })
    addEventListener('eip6963:requestProvider', () => {
      for (const detail of wallets) dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    })
  }`)
  return asked
}
