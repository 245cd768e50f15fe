/** `edgeway/sessions`: the feature, its options and its types. */
export type { HttpSseOptions } from './http-sse/paths.ts'
export { type Sessions, type SessionsOptions, sessions } from './sessions.ts'
