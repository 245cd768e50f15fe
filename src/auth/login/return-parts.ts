/** The redirect to another site, and its callback. */
import { handleCallback, signInUpstream } from '../server/callback.ts'
import type { ReturnParts } from './login.ts'

export const returnParts: ReturnParts = { signIn: signInUpstream, finish: handleCallback }
