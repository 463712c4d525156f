import { type Static, Type } from '@sinclair/typebox'
import { Big } from 'big.js'
import { Address, ChainId, text } from '../primitives.ts'
import { component, ref } from '../schema-builders.ts'

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

/** Base units in whole tokens, exact: no exponent, no trailing zeros. */
export const toTokenUnits = (amount: string, decimals: number) => new Big(amount).times(`1e-${decimals}`).toFixed()
