/** `sessions()` with the options of a test, which have the names of all features. */
import { type SessionsOptions, sessions } from '../../../src/features/sessions/index.ts'

export interface SessionSettings {
  readonly httpSse?: SessionsOptions['httpSse']
  readonly sessionsOnly?: boolean
}

export function sessionsOf({ httpSse, sessionsOnly }: SessionSettings) {
  const options: SessionsOptions = {
    ...(httpSse === undefined ? undefined : { httpSse }),
    ...(sessionsOnly === undefined ? undefined : { only: sessionsOnly }),
  }
  return sessions(options)
}
