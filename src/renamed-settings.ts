/** Settings that were renamed before 2.0.0, with the name of today. An old name is refused, because its value would be ignored. */
export const renamedSettings: Readonly<Record<string, string>> = {
  ANSWER_CACHE_MEGABYTES: 'RESPONSE_CACHE_MB',
  CONNECTION_TIMEOUT_MS: 'DATABASE_ACQUIRE_TIMEOUT_MS',
  DATABASE_QUEUE_SIZE: 'DATABASE_MAX_PENDING_QUERIES',
  FAILED_ATTEMPTS_PER_MINUTE: 'FAILED_AUTH_PER_MINUTE',
  MAX_REQUESTS_UNDER_WAY: 'MAX_CONCURRENT_REQUESTS',
}
