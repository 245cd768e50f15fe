/** The types of `registerSkill`. */

import type { MaybePromise } from '../platform/maybe-promise.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Context, NoMembers } from './context.ts'
import type { ResourceDefinition, SkillDefinition } from './definition.ts'
import type { Visible } from './visibility.ts'

/** Text or bytes that are generated for each read, for the caller of `ctx`. */
export type SkillFileReader<Env = unknown, Props = GrantProps, Members = NoMembers> = (
  ctx: Context<Env, Props, Members>,
) => MaybePromise<string | Uint8Array>

/** A file as `edgeway skills` writes it, with what it has computed. */
export interface BundledSkillFile {
  /** Text, or base64 of other bytes. */
  readonly text?: string
  readonly base64?: string
  /** `sha256:` and 64 lower-case hexadecimal digits, of the bytes of the file. */
  readonly digest: string
  /** In bytes. */
  readonly size: number
}

export type SkillFile<Env = unknown, Props = GrantProps, Members = NoMembers> =
  | string
  | Uint8Array
  | BundledSkillFile
  | SkillFileReader<Env, Props, Members>

/**
 * A skill: instructions for agents, with the files that they mention.
 *
 * @see https://agentskills.io/specification
 */
export interface Skill<Env = unknown, Props = GrantProps, Members = NoMembers> {
  /**
   * The folder of the skill in the namespace of the server, `refunds` or `acme/billing/refunds`. The last
   * segment is the name of the skill.
   */
  readonly path: string
  /** The fields of the frontmatter. `name` is that of the path. */
  readonly frontmatter: { readonly description: string; readonly [field: string]: JsonValue }
  /** Markdown: what follows the frontmatter in `SKILL.md`. A function makes the skill dynamic. */
  readonly instructions?: string | ((ctx: Context<Env, Props, Members>) => MaybePromise<string>)
  /**
   * Further files by their paths within the skill, `templates/invoice.md`. A function makes the skill
   * dynamic: then it has no digests, and some hosts decline it. `SKILL.md` is here instead of
   * `instructions` where `edgeway skills` has read it, with its frontmatter.
   */
  readonly files?: { readonly [path: string]: SkillFile<Env, Props, Members> }
}

export const DEFINE_SKILL: unique symbol = Symbol('edgeway.skill')

export interface DefinedSkill {
  readonly skill: SkillDefinition
  /** One for each file. */
  readonly resources: readonly ResourceDefinition[]
}

/** The value of `skill()`. It brings the code that checks and compiles a skill. */
export interface SkillValue<Env = unknown, Props = GrantProps, Members = NoMembers> {
  /** @internal @throws {TypeError} that names the skill and the fault */
  readonly [DEFINE_SKILL]: () => DefinedSkill
  /** @internal Whose context its functions receive. */
  readonly context?: (ctx: Context<Env, Props, Members>) => void
}

/** Who may read a skill, and how long its files may be cached. */
export interface SkillOptions<Props = GrantProps> {
  /** How long clients may cache each file, in milliseconds. Default 0. */
  readonly ttlMs?: number
  /** Whether a cache may share files between principals. Default `private`. */
  readonly cacheScope?: 'public' | 'private'
  /** Scopes that the access token must have for reading a file. */
  readonly scopes?: readonly string[]
  readonly visible?: Visible<Props>
}
