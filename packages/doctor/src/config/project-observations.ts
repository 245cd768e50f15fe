/** All that is known of a project before it is deployed. The checks are pure functions of it. */
import type { Detected } from '../doctor/detected.ts'
import type { WorkerDescription } from './inspector.ts'
import type { SecretFile } from './local-secrets.ts'
import type { Environment } from './wrangler.ts'

export interface ProjectObservations {
  /** The configuration file. */
  readonly config: string
  /** The top level first. */
  readonly environments: readonly [ObservedEnvironment, ...ObservedEnvironment[]]
  /** Undefined when the main module was not bundled or not loaded. */
  readonly worker: WorkerDescription | undefined
  /** Why the main module was not bundled or not loaded. */
  readonly failure: Detected | undefined
  readonly importsAsyncHooks: boolean
  readonly secretFiles: readonly SecretFile[]
}

export interface ObservedEnvironment extends Environment {
  /** The compatibility flags that apply; undefined when the runtime did not start. */
  readonly flags: readonly string[] | undefined
  /** Why the runtime does not start with the flags. */
  readonly refusedFlags: string | undefined
}

/** A check of one environment. */
export type Check = (
  environment: ObservedEnvironment,
  project: ProjectObservations,
) => readonly Detected[]

/** Whether people use the environment for development alone, by its name. */
export const isForDevelopment = (name: string): boolean => /^(?:dev|local|test)/i.test(name)
