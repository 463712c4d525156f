/** What mends all that is derived, and what the schema lacks. */
export const REBUILD = 'run `reward-campaigns rebuild` as the owner of the tables'
