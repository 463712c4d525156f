/** The states of a followed chain (spec of `index --status`). */
export const followingStates = ['back-filling', 'following', 'behind'] as const
export type FollowingState = (typeof followingStates)[number]
