import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../tarball/consumer.ts'
import { findUnexportedTypes, namesIn } from './declarations.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** The members of Durable Objects, which only Edgeway calls, and their types. */
const OF_EDGEWAY_ALONE = /^McpAgent > AgentBase > HostedObject\b/

/** Types that compute others, and those that an author reads in an editor and never names. */
const NEVER_NAMED =
  /(?:^| > )(?:Absent|AddToFeatures|AddToUses|AnyFeature|AnyServer|AnyToolResult|ApiBy|ArgumentsOf|AskMembers|AskOptions|Askable|AttributeNeeds|AuthorizedContext|Brought|BroughtBy|BroughtMembers|CallLimits|CallParameters|ChangeKind|ChangeMembers|CollectorHeaders|ConnectionKeys|ContentBlockFields|ContentKinds|ContextOf|ContextSource|CoreContext|CreateServer|DefaultEnv|DefinitionShare|DescribedContent|DescribedSchema|EdgewayCore|ElicitContent|EmbeddedContent|EventMembers|ExpandValues|Expression|FactoryEdgeway|FactoryLimits|FileLimits|FileMembers|Flattened|FullContext|Functions|Included|InferInput|Issue|JobArguments|KnownFeatures|ListedFields|Literal|MembersBy|ModelResult|NoMembers|NotifyScope|Operator|PromptReturn|ResourceContentsFields|ResourceReturn|ResultOf|ReturnedContents|ReturnedPrompt|ReturnedToolResult|SchemaMember|SchemaTypes|ScopedContext|ServerConfig|ServerSource|SessionLimits|ShapeMember|ShapeType|StateLimits|StateMembers|StepBackoff|TaskLimits|ToolReturn|ToolSettings|UriTemplate|UsedValue|ValidationResult|VariableSpec|Variables)(?: > |$)/

const isHidden = (path: string) => OF_EDGEWAY_ALONE.test(path) || NEVER_NAMED.test(path)

const directory = mkdtempSync(join(tmpdir(), 'edgeway-declarations-'))

describe('the built declarations', () => {
  beforeAll(() => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const args = ['-p', 'tsconfig.build.json', '--outDir', directory, '--emitDeclarationOnly']
    execFileSync(process.execPath, [tsc, ...args], { cwd: ROOT })
  }, 300_000)

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const fileOf = (entry: string) =>
    join(directory, entry.replace('./dist/', '').replace(/\.js$/, '.d.ts'))
  const files = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [fileOf(target.default)],
  )
  const main = join(directory, 'src/index.d.ts')

  it.each(files.map((file) => [file.slice(directory.length + 1), file]))(
    '%s exports every type that is reachable from an exported type, unless another entry does',
    (_, file) => {
      const missing = findUnexportedTypes(
        file,
        files.filter((other) => other !== file),
      )
      expect(missing.filter((path) => !isHidden(path))).toEqual([])
    },
  )

  it('of edgeway/auth export every type that is reachable from them, without another entry', () => {
    expect(findUnexportedTypes(join(directory, 'src/auth/index.d.ts'))).toEqual([])
  })

  it('of the main entry have about 70 names', () => {
    expect(namesIn(main).length).toBeLessThanOrEqual(80)
  })

  it('export no shape of storage or of an RPC: the admin API and the timeline have views of their own', () => {
    const internal =
      /\b(?:TaskSnapshot|TaskDetail|TaskProgress|GrantSummary|GrantClient|SessionPosition|Principal|TimelineStep|StepEvent)\b/g
    for (const file of files) expect(readFileSync(file, 'utf8').match(internal)).toBeNull()
  })

  it('are reported as incomplete when an exported function uses a type that is not exported', () => {
    const folder = join(directory, 'incomplete')
    mkdirSync(folder)
    writeFileSync(join(folder, 'index.d.ts'), "export { open } from './open.ts'\n")
    writeFileSync(
      join(folder, 'open.d.ts'),
      "import type { Hidden } from './hidden.ts'\nexport declare function open(options: Hidden): void\n",
    )
    writeFileSync(
      join(folder, 'hidden.d.ts'),
      'export interface Hidden {\n  readonly a: string\n}\n',
    )
    expect(findUnexportedTypes(join(folder, 'index.d.ts'))).toEqual(['open > Hidden'])
  })
})
