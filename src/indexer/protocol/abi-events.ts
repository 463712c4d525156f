import { parseAbi } from 'viem/utils'

/*
 * The events of the incentive protocol, declared by ourselves. The same name with other parameters is another event:
 * each generation of the contracts has its own list.
 */

/** Events of a campaign core. */
export const coreEvents = parseAbi([
  'event BoostCreated(uint256 indexed boostId, address indexed owner, address indexed action, uint256 incentiveCount, address validator, address allowList, address budget)',
  'event IncentiveAdded(uint256 indexed boostId, uint256 indexed incentiveId, address indexed incentiveAddress, bool isNewBoost)',
  'event BoostClaimed(uint256 indexed boostId, uint256 indexed incentiveId, address indexed claimant, address referrer, bytes data)',
  'event BoostToppedUp(uint256 indexed boostId, uint256 indexed incentiveId, address indexed sender, uint256 amount, uint256 fee)',
  'event Clawback(uint256 indexed boostId, uint256 incentiveId, address indexed caller, address indexed receiver, uint256 amount, address asset)',
])

/** Events of an incentive. */
export const incentiveEvents = parseAbi([
  'event Claimed(address indexed recipient, bytes data)',
  'event ToppedUp(address sender, uint256 amount)',
  'event Entry(address indexed entry)',
])

/** The fee of payable validators: only from their base implementation, where all of its clones read it. */
export const feeEvents = parseAbi(['event ClaimFeeUpdated(uint256 fee)'])

/** The setup of an incentive, if its form is the same in all generations. */
export const plainSetUpEvents = parseAbi([
  'event ERC20IncentiveInitialized(address indexed asset, uint8 strategy, uint256 reward, uint256 limit, address manager)',
  'event ERC20VariableIncentiveInitialized(address indexed asset, uint256 reward, uint256 limit)',
  'event ERC20PeggedIncentiveInitialized(address indexed asset, address indexed peg, uint256 reward, uint256 limit, address manager)',
  'event CGDAIncentiveInitialized(address indexed asset, uint256 initialReward, uint256 rewardDecay, uint256 rewardBoost, uint256 totalBudget)',
  'event PointsIncentiveInitialized(address indexed venue, bytes4 selector, uint256 reward, uint256 limit)',
])

const criteriaEvents = [
  'event ERC20VariableCriteriaIncentiveInitialized(address indexed asset, uint256 reward, uint256 limit, uint256 maxReward, Criteria criteria)',
  'event ERC20PeggedIncentiveInitialized(address indexed asset, address indexed peg, uint256 reward, uint256 limit, address manager, uint256 maxReward, Criteria criteria)',
] as const

/** The setup of an incentive with criteria of the first form. */
export const criteriaSetUpEvents = parseAbi([
  'struct Criteria { uint8 criteriaType; bytes32 signature; uint32 fieldIndex; address targetContract; }',
  ...criteriaEvents,
])

/** The same before field indexes grew. */
export const narrowCriteriaSetUpEvents = parseAbi([
  'struct Criteria { uint8 criteriaType; bytes32 signature; uint8 fieldIndex; address targetContract; }',
  ...criteriaEvents,
])

/** The setup of an incentive whose criteria have the scale of their value. */
export const scaledCriteriaSetUpEvents = parseAbi([
  'struct Criteria { uint8 criteriaType; bytes32 signature; uint32 fieldIndex; address targetContract; uint8 valueType; }',
  ...criteriaEvents,
])

const claimant =
  'struct Claimant { uint8 signatureType; bytes32 signature; uint32 fieldIndex; address targetContract; uint256 chainId; }'
const narrowClaimant =
  'struct Claimant { uint8 signatureType; bytes32 signature; uint8 fieldIndex; address targetContract; uint256 chainId; }'
const parameter = 'struct Parameter { uint8 filterType; uint8 fieldType; uint32 fieldIndex; bytes filterData; }'
const narrowParameter = 'struct Parameter { uint8 filterType; uint8 fieldType; uint8 fieldIndex; bytes filterData; }'
const actionEvent = [
  'struct Step { bytes32 signature; uint8 signatureType; uint8 actionType; address targetContract; uint256 chainId; Parameter actionParameter; }',
  'event EventActionInitialized(Claimant claimant, Step first, Step second, Step third, Step fourth)',
] as const

/** The setup of an event action. */
export const actionSetUpEvents = parseAbi([claimant, parameter, ...actionEvent])

/** The same while the claimant's field index was narrow. */
export const narrowClaimantSetUpEvents = parseAbi([narrowClaimant, parameter, ...actionEvent])

/** The same while all field indexes were narrow. */
export const narrowActionSetUpEvents = parseAbi([narrowClaimant, narrowParameter, ...actionEvent])
