/** The compiled definition of a server: built once at module scope, immutable while requests run. */
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { DeclaredCapabilities } from '../protocol/capabilities.ts'
import type { Implementation, Resource } from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { CacheHints, Prompt, ResourceTemplateInfo, Tool } from '../protocol/primitives.ts'
import type { SkillFrontmatter } from '../protocol/skills.ts'
import type { Complete } from './completion.ts'
import type { FullContext } from './context.ts'
import type { FileArguments } from './file.ts'
import type { JobHandler } from './job.ts'
import type { AuthorMethod, MethodHandler } from './method-handler.ts'
import type { ListTemplate, ReadTemplate } from './resource.ts'
import type { ResourceTemplate } from './resource-template.ts'
import type { CompiledSchema } from './schema/compile.ts'
import type { ParamHeader } from './schema/param-headers.ts'
import type { TaskOptions, ToolDeprecation } from './tool.ts'
import type { UsedValue } from './uses.ts'
import type { Visible } from './visibility.ts'

/** The members that restrict access to any kind of definition. */
interface Guarded {
  readonly scopes: readonly string[]
  readonly visible: Visible | undefined
}

export interface ToolDefinition extends Guarded {
  readonly info: Tool
  readonly input: CompiledSchema | undefined
  readonly output: CompiledSchema | undefined
  readonly paramHeaders: readonly ParamHeader[]
  readonly timeoutMs: number | undefined
  readonly singleUse: boolean
  /** Absent: as the app says for tools with its annotations. */
  readonly throughModel?: boolean
  /** Whether its handler may call `ctx.file`. */
  readonly files: boolean
  /** The files that it takes; absent for none. */
  readonly fileArguments?: FileArguments
  readonly limitClass: string | undefined
  /** The connection whose account it uses. */
  readonly connection?: string
  /** Whether the argument `account` names that account, because the author has no argument of this name. */
  readonly takesAccount?: boolean
  /** What it belongs to, for those who search it. Clients do not see them. */
  readonly tags?: readonly string[]
  readonly deprecated: Required<ToolDeprecation> | undefined
  /** Undefined for a tool whose calls never become tasks. */
  readonly task: TaskDefinition | undefined
  /** Undefined for a tool whose handler is a function. */
  readonly job: JobHandler<unknown, unknown> | undefined
  /** Whether its handler finds in its journal what it has done, so that it may run again after an interruption. */
  readonly isResumable?: boolean
  /** Whether only the client itself calls it: no handler, no code and no tool that calls tools. */
  readonly isDirect?: boolean
  /**
   * Checks a call before it starts, also one that becomes a task.
   *
   * @throws {ProtocolError} with `missingScopes`
   */
  readonly checkCall?: (args: JsonObject, auth: AuthInfo | undefined) => void
  /** Calls the handler. A handler without an `inputSchema` does not receive the arguments. */
  readonly run: (args: unknown, ctx: FullContext) => unknown
}

/** {@link TaskOptions} with their defaults. */
export type TaskDefinition = Required<TaskOptions>

export interface PromptDefinition extends Guarded {
  readonly info: Prompt
  readonly input: CompiledSchema | undefined
  readonly complete: ReadonlyMap<string, Complete>
  readonly run: (args: unknown, ctx: FullContext) => unknown
}

export interface ResourceDefinition extends Guarded {
  readonly info: Resource
  /** Whether `resources/list` has it. Files of skills are in the entries of the skills instead. */
  readonly isListed: boolean
  readonly cache: CacheHints
  readonly read: (uri: URL, ctx: FullContext) => unknown
}

export interface TemplateDefinition extends Guarded {
  readonly info: ResourceTemplateInfo
  readonly template: ResourceTemplate
  readonly cache: CacheHints
  readonly list: ListTemplate<unknown> | undefined
  readonly read: ReadTemplate<unknown>
}

/** What distinguishes the contents of a file from those of another. */
export interface FileIdentity {
  /** In bytes. */
  readonly size: number
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest: () => Promise<string>
}

export interface SkillFileDefinition {
  /** That of its resource. */
  readonly uri: string
  /** Undefined for a file that is generated for each read. */
  readonly identity: FileIdentity | undefined
}

export interface SkillDefinition {
  /** The URI of its folder. */
  readonly root: string
  /** The URI of its `SKILL.md`. */
  readonly uri: string
  readonly frontmatter: SkillFrontmatter
  /** `SKILL.md` and all others. */
  readonly files: readonly SkillFileDefinition[]
}

/** A problem that does not prevent serving, such as a name that some clients reject. Reported to telemetry at start. */
export interface DefinitionWarning {
  readonly subject: string
  readonly message: string
}

export interface Definition {
  /** The values of `uses`: features that the app must have. */
  readonly uses: readonly UsedValue[]
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly pageSize: number
  readonly listTtlMs: number
  /** Whether everything in it depends on the caller, so that no cache may share it. */
  readonly isPrivate: boolean
  /** Whether a client receives the message of every error that a handler throws. */
  readonly showsErrors: boolean
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly prompts: ReadonlyMap<string, PromptDefinition>
  /** By the URI as registered, and by the URI as `URL` normalises it. */
  readonly resources: ReadonlyMap<string, ResourceDefinition>
  readonly templates: readonly TemplateDefinition[]
  /** By the URI of `SKILL.md`. Their files are among the resources, which say who sees them. */
  readonly skills: ReadonlyMap<string, SkillDefinition>
  /** The methods that the author answers instead of the registrations. */
  readonly handlers: ReadonlyMap<AuthorMethod, MethodHandler>
  readonly warnings: readonly DefinitionWarning[]
  /** What the author declares beside what is registered. */
  readonly declared: DeclaredCapabilities
}
