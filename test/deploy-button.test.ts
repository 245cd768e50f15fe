/**
 * Tests that the notebook and a new server carry what *Deploy to Cloudflare* and `npm create cloudflare --template` need.
 * Each rule has its clause: "button" is https://developers.cloudflare.com/workers/platform/deploy-buttons/, "C3" is
 * https://developers.cloudflare.com/pages/get-started/c3/#cli-arguments.
 */
// features: all
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler'
import { AUTH_NAMES, type AuthChoice } from '../packages/cli/src/init/auth-choice.ts'
import { starterFiles } from '../packages/cli/src/init/starter-files.ts'
import { writeFiles } from '../packages/cli/src/init/write-files.ts'
import { withDeployButton } from '../scripts/support/release-texts.ts'

const ROOT = resolve(import.meta.dirname, '..')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-button-'))

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

/** A server of each kind, as `edgeway init` writes it. */
function newServer(name: string, auth: AuthChoice, needsKey = false): string {
  const folder = join(TEMPORARY, name)
  const description = needsKey
    ? { text: '{}\n', needsKey, baseUrl: 'https://parcels.example.com' }
    : undefined
  writeFiles(folder, starterFiles({ name, auth, description, edgeway: '^1.2.3' }))
  return folder
}

interface Template {
  readonly folder: string
  readonly manifest: {
    readonly scripts: Readonly<Record<string, string>>
    readonly dependencies: Readonly<Record<string, string>>
    readonly cloudflare: { readonly bindings: Readonly<Record<string, { description: string }>> }
  }
  readonly config: WranglerConfig
  readonly secrets: Readonly<Record<string, string | undefined>>
  readonly readme: string
}

function templateOf(folder: string): Template {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const file = ['wrangler.jsonc', 'wrangler.toml'].find((name) => existsSync(join(folder, name)))
  const example = join(folder, '.dev.vars.example')
  return {
    folder,
    manifest: JSON.parse(read('package.json')),
    config: readConfig({ config: join(folder, file ?? '') }, { hideWarnings: true }),
    secrets: existsSync(example) ? parseEnv(readFileSync(example, 'utf8')) : {},
    readme: read('README.md'),
  }
}

/** As after a release, which puts the button into README.md. */
function notebook(): Template {
  const template = templateOf(ROOT)
  const repository = 'https://github.com/your-account/edgeway'
  return { ...template, readme: withDeployButton(template.readme, repository) }
}

const TEMPLATES: readonly (readonly [name: string, template: Template])[] = [
  ['the notebook', notebook()],
  ...AUTH_NAMES.map(
    (auth) => [`a server with ${auth}`, templateOf(newServer(auth, auth))] as const,
  ),
  ['a server of an API with a key', templateOf(newServer('api', 'passphrase', true))],
]

/** What the button creates or asks for, by the member of the configuration (button, "Automatic resource provisioning"). */
const PROVISIONED: Readonly<Record<string, (value: never) => readonly string[]>> = {
  durable_objects: ({ bindings }: WranglerConfig['durable_objects']) =>
    bindings.map(({ name }) => name),
  kv_namespaces: (list: WranglerConfig['kv_namespaces']) => list.map(({ binding }) => binding),
  r2_buckets: (list: WranglerConfig['r2_buckets']) => list.map(({ binding }) => binding),
  d1_databases: (list: WranglerConfig['d1_databases']) => list.map(({ binding }) => binding),
  vars: (vars: WranglerConfig['vars']) => Object.keys(vars),
}

/** Members of a configuration that bind something else, which the button does not create. */
const NOT_PROVISIONED = [
  'services',
  'analytics_engine_datasets',
  'dispatch_namespaces',
  'mtls_certificates',
  'workflows',
  'ratelimits',
  'send_email',
  'pipelines',
] as const

const namesIn = ({ config }: Template): readonly string[] =>
  Object.entries(PROVISIONED).flatMap(([member, names]) =>
    names(config[member as keyof WranglerConfig] as never),
  )

describe.each(TEMPLATES)('%s for the button', (_, template) => {
  const { manifest, config, secrets, readme, folder } = template

  // Button, "Provide a description for bindings".
  it('describes each binding, variable and secret that it asks for, and no other one', () => {
    const { bindings } = manifest.cloudflare
    const expected = [...namesIn(template), ...Object.keys(secrets)].sort()
    expect(Object.keys(bindings).sort()).toEqual(expected)
    for (const [name, described] of Object.entries(bindings)) {
      expect([name, Object.keys(described)]).toEqual([name, ['description']])
      expect(described.description).toMatch(/^\S.*\.$/)
    }
  })

  // Button: "Inline markdown `code`, **bold**, __italics__ and [links](https://example.com) are supported."
  it('describes them in inline Markdown alone', () => {
    for (const { description } of Object.values(manifest.cloudflare.bindings)) {
      const prose = description.replace(/`[^`]+`/g, '').replace(/\[[^\]]+\]\(https:[^)\s]+\)/g, '')
      expect(prose).not.toMatch(/[\n<>`]|^[#>|-]|!\[|https?:/)
    }
  })

  // Button, "Worker environment variables and secrets": .dev.vars.example, in the format of dotenv.
  it('names its secrets in .dev.vars.example, without a value that works', () => {
    expect(Object.values(secrets).filter((value) => value !== 'replace-me')).toEqual([])
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(config.secrets?.required ?? []))
    expect(Object.keys(secrets).filter((name) => name in config.vars)).toEqual([])
  })

  // Button, "Automatic resource provisioning": names and ids have default values.
  it('binds only what the button creates', () => {
    expect(config.account_id).toBeUndefined()
    expect(NOT_PROVISIONED.filter((member) => (config[member] ?? []).length > 0)).toEqual([])
    const foreign = config.durable_objects.bindings.filter(
      ({ class_name, script_name }) => class_name === undefined || script_name !== undefined,
    )
    expect(foreign).toEqual([])
    const created = config.migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes)
    expect(created.sort()).toEqual(
      config.durable_objects.bindings.map(({ class_name }) => class_name).sort(),
    )
    expect(config.routes ?? []).toEqual([])
  })

  // Button, "Configuring Build/Deploy commands".
  it('is deployed by the script that Cloudflare finds', () => {
    expect(manifest.scripts.deploy).toBe('wrangler deploy')
  })

  // Button, "Limitations": only github.com and gitlab.com, and no dependency outside of the repository.
  it('is named by the button of its README, by a repository that Cloudflare can clone', () => {
    const [, image, target = ''] =
      /\[!\[Deploy to Cloudflare\]\(([^)]+)\)\]\(([^)]+)\)/.exec(readme) ?? []
    expect(image).toBe('https://deploy.workers.cloudflare.com/button')
    const url = new URL(target)
    expect(`${url.origin}${url.pathname}`).toBe('https://deploy.workers.cloudflare.com/')
    expect(url.searchParams.get('url')).toMatch(/^https:\/\/github\.com\/your-account\/[a-z0-9-]+$/)
    const local = Object.values(manifest.dependencies).filter((version) =>
      /^(?:file|link|workspace):/.test(version),
    )
    expect(local).toEqual([])
  })

  // C3, --template: package.json, a configuration of wrangler, and src/ with a worker script that it names.
  it('is a template of npm create cloudflare', () => {
    expect(existsSync(join(folder, 'src'))).toBe(true)
    // The script of the notebook is beside the library in src/, which it imports.
    const inSource = folder === ROOT ? 'examples/notebook/worker.ts' : 'src/worker.ts'
    expect(resolve(folder, config.main ?? '')).toBe(join(folder, inSource))
    expect(existsSync(join(folder, inSource))).toBe(true)
  })
})
