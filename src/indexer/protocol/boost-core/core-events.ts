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
