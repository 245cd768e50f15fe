/** The two ways of authorization. */
import type { EmbeddedAuth } from './embedded.ts'
import type { ExternalAuth } from './external.ts'

export type AuthConfig = EmbeddedAuth | ExternalAuth
