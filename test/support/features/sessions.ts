/** `sessions()` with the options of a test, which have the names of all features. */
import { type SessionsOptions, sessions } from '../../../src/features/sessions/index.ts'

export interface SessionSettings {
  readonly httpSse?: SessionsOptions['httpSse']
  readonly sessionsOnly?: boolean
  readonly sessionBinding?: string
}

export function sessionsOf({ httpSse, sessionsOnly, sessionBinding }: SessionSettings) {
  const options: SessionsOptions = {
    ...(httpSse === undefined ? undefined : { httpSse }),
    ...(sessionsOnly === undefined ? undefined : { only: sessionsOnly }),
    ...(sessionBinding === undefined ? undefined : { binding: sessionBinding }),
  }
  return sessions(options)
}
