import { ActionClaimant, ActionStep, ActionStepParameters, SignatureType } from './campaigns/actions.ts'
import { AllowList, AllowListPreview, AllowListType } from './campaigns/allow-lists.ts'
import { FacetName } from './campaigns/campaign-facets.ts'
import { RewardTokenFilter, TokenFilter } from './campaigns/campaign-filters.ts'
import { Criteria, CriteriaWithValueType, Incentive, IncentiveType, incentiveVariants } from './campaigns/incentives.ts'
import { TokenMetadata } from './campaigns/tokens.ts'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  Bytes32,
  CampaignId,
  ChainId,
  Instant,
  TotalAmount,
  TransactionHash,
  UsdAmount,
} from './primitives.ts'

/** The schemas that others refer to by name: shared components of the OpenAPI document. */
export const namedSchemas = [
  Address,
  BaseUnits,
  BlockTimestamp,
  Bytes32,
  CampaignId,
  ChainId,
  Instant,
  TotalAmount,
  TransactionHash,
  UsdAmount,
  TokenFilter,
  RewardTokenFilter,
  TokenMetadata,
  SignatureType,
  ActionStepParameters,
  ActionStep,
  ActionClaimant,
  AllowListType,
  AllowListPreview,
  AllowList,
  Criteria,
  CriteriaWithValueType,
  ...incentiveVariants,
  IncentiveType,
  FacetName,
  Incentive,
]
