/** `sessions()` with the options of a test, which have the names of all features. */
import { type SessionsOptions, sessions } from '../../../src/features/sessions/index.ts'

export interface SessionSettings {
  readonly httpSse?: SessionsOptions['httpSse']
  readonly sessionsOnly?: boolean
  readonly limits?: Omit<SessionsOptions, 'httpSse' | 'only'> | undefined
}

export function sessionsOf({ httpSse, sessionsOnly, limits }: SessionSettings) {
  const options: SessionsOptions = {
    ...limits,
    ...(httpSse === undefined ? undefined : { httpSse }),
    ...(sessionsOnly === undefined ? undefined : { only: sessionsOnly }),
  }
  return sessions(options)
}
