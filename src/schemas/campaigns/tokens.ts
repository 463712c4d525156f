import { type Static, Type } from '@sinclair/typebox'
import { Address, ChainId, text } from '../primitives.ts'
import { component, ref } from '../references.ts'

/** A reward token's metadata; from the token record, never from the campaign. */
export const TokenMetadata = component('TokenMetadata', 'A known token.', {
  id: text('ID of the token: `<chainId>:<address>`.', { maxLength: 64 }),
  chainId: ref(ChainId, 'Chain on which the token lives.'),
  address: ref(Address, 'Contract of the token; the zero address is the native token.'),
  decimals: Type.Integer({
    minimum: 0,
    maximum: 255,
    description: 'Decimals of the token: this many digits of an amount in base units follow the decimal point.',
  }),
  name: text('Name of the token.'),
  symbol: text('Symbol of the token.'),
  imageUri: text('URI of the image of the token.'),
})
export type TokenMetadata = Static<typeof TokenMetadata>

/** The token in examples of the OpenAPI document. */
export const tokenExample: TokenMetadata = {
  id: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  chainId: 8453,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  decimals: 6,
  name: 'USD Coin',
  symbol: 'USDC',
  imageUri: 'https://images.example/usdc.png',
}
