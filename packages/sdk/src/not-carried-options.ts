/** The options of the SDKs that cannot be carried, each with what to do instead. */
export const NOT_CARRIED: Readonly<Record<string, string>> = {
  bus: 'pass features: [changes()], which delivers changes',
  enableJsonResponse: 'Edgeway answers with JSON where it can',
  eventStore: 'pass features: [sessions()], which stores events',
  maxSubscriptions: 'use limits and features: [rateLimits()]',
  sessionIdGenerator: 'pass features: [sessions()], which has sessions',
  storage: 'pass features: [sessions()], which stores sessions',
  transport: 'Edgeway has its own transport',
}
