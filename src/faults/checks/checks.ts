/** Every check of what is seen of a connection from outside, by the code of the fault that it finds. */
import { RESOURCE_CHECKS, URL_CHECKS } from './resource.ts'
import { SERVER_CHECKS } from './server.ts'
import { RESPONSE_CHECKS, TOKEN_CHECKS } from './sign-in.ts'

export const CHECKS = {
  ...URL_CHECKS,
  ...RESOURCE_CHECKS,
  ...SERVER_CHECKS,
  ...RESPONSE_CHECKS,
  ...TOKEN_CHECKS,
}

export type SharedCode = keyof typeof CHECKS
