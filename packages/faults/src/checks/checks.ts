/** Every check of what is seen of a connection from outside, by the code of the fault that it finds. */
import { CHALLENGE_CHECKS, RESOURCE_CHECKS, URL_CHECKS } from './resource.ts'
import { SERVER_CHECKS } from './server.ts'
import { RESPONSE_CHECKS, TOKEN_CHECKS } from './sign-in.ts'

export const CHECKS = {
  ...URL_CHECKS,
  ...CHALLENGE_CHECKS,
  ...RESOURCE_CHECKS,
  ...SERVER_CHECKS,
  ...RESPONSE_CHECKS,
  ...TOKEN_CHECKS,
}

export type SharedCode = keyof typeof CHECKS

/** The codes of a family, in the order in which a client notices them. */
export const codesOf = <Code extends SharedCode>(checks: Readonly<Record<Code, unknown>>) =>
  Object.keys(checks) as Code[]
