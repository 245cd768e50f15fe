/**
 * The skills of the package, and the texts that send a coding agent to them: what they name exists.
 * `packages/cli/test/follow-skills.test.ts` follows them.
 */
// features: all
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import {
  alternativesOf,
  codeRowsOf,
  publishedSkillText,
  skillText,
  stepsOf,
} from '../../../test/support/node/skill-steps.ts'
import { AUTH_NAMES } from '../src/init/auth-choice.ts'
import { starterFiles } from '../src/init/starter-files.ts'
import { readSkills } from '../src/skills/read-skills.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const NAMES = ['edgeway-build-a-server', 'edgeway-find-connection-fault', 'edgeway-move-a-server']

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const newServer = starterFiles({
  name: 'parcels',
  auth: 'passphrase',
  description: { text: '{}', needsKey: true, baseUrl: 'https://parcels.example.com' },
  edgeway: '^1.2.3',
})
const textOf = (path: string) => String(newServer.get(path))
const scripts: Readonly<Record<string, string>> = JSON.parse(textOf('package.json')).scripts

/** The texts for agents, by name. */
const TEXTS = [
  ...NAMES.map((name) => [name, publishedSkillText(name)]),
  ['AGENTS.md', textOf('AGENTS.md')],
]

/** The source of a command of `edgeway`. */
const commandText = (name: string) => read(`packages/cli/src/commands/${name}.ts`)

describe('the skills of the package', () => {
  it('are valid Agent Skills', () => {
    const { skills, problems } = readSkills(join(ROOT, 'skills'))
    expect(problems).toEqual([])
    expect(skills.map(({ path }) => path)).toEqual(NAMES)
    expect(manifest.files).toContain('skills')
  })

  it.each(NAMES)('%s is short enough to be read at once', (name) => {
    expect(skillText(name).length).toBeLessThan(14_000)
  })

  it.each(NAMES)('%s has nothing but commands and whole files in its blocks', (name) => {
    const text = skillText(name)
    const blocks = text.match(/^```\w/gm)?.length ?? 0
    const alternatives = alternativesOf(text)
    const inAlternatives = alternatives.reduce(
      (sum, title) => sum + stepsOf(text, title).length - stepsOf(text).length,
      0,
    )
    expect(stepsOf(text).length + inAlternatives).toBe(blocks)
    expect(blocks).toBeGreaterThan(2)
  })

  it('edgeway-move-a-server has an alternative for each row of its first table', () => {
    const text = skillText('edgeway-move-a-server').replaceAll('`', '')
    for (const title of alternativesOf(text))
      expect(text).toMatch(new RegExp(`^\\|.*${title}.*\\|$`, 'm'))
  })

  it('edgeway-move-a-server moves imports as the guide does', () => {
    const guide = read('docs/guides/migrate.md').replaceAll('`…/', '`@modelcontextprotocol/sdk/')
    const rows = codeRowsOf(skillText('edgeway-move-a-server'))
    expect(rows.length).toBeGreaterThan(5)
    for (const [before, after] of rows) {
      expect(guide).toMatch(new RegExp(`^\\|.*\`${before}\`.*\\|.*\`${after}\``, 'm'))
    }
  })

  it('edgeway-find-connection-fault names reasons that exist', () => {
    const reasons = read('docs/reference/reasons.md')
    for (const [, name] of skillText('edgeway-find-connection-fault').matchAll(
      /403 `([a-z-]+)`/g,
    )) {
      expect(reasons).toContain(`\`${name}\``)
    }
  })
})

describe.each(TEXTS)('the text %s', (_, text = '') => {
  it('names files of the package that exist', () => {
    const paths = [...text.matchAll(/node_modules\/edgeway\/([\w./-]*\w)/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(2)
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const folders = paths.map((path) => path.split('/')[0] ?? '')
    expect(folders.filter((folder) => !manifest.files.includes(folder))).toEqual([])
  })

  it('names scripts of a new server, commands of edgeway and options that exist', () => {
    for (const [, script = ''] of text.matchAll(/npm run ([a-z]+)/g)) {
      expect(scripts).toHaveProperty(script)
    }
    const commands = readdirSync(join(ROOT, 'packages/cli/src/commands'))
    for (const [, command] of text.matchAll(
      /(?:npx|edgeway@latest) (?:edgeway )?(dev|doctor|init|skills|admin|migrate|contract|submit|server-json)\b/g,
    )) {
      expect(commands).toContain(`${command}.ts`)
    }
    for (const [, option = ''] of text.matchAll(/^\| `(--[a-z]+)[^|]*\|/gm)) {
      const sources = ['doctor-options', 'init', 'sign-in-options'].map(commandText)
      expect(sources.join('\n')).toContain(option)
    }
  })

  it('names files of a new server that exist', () => {
    const paths = [...text.matchAll(/^\| `((?:src|test)\/[\w.-]*|wrangler\.jsonc)` \|/gm)]
    for (const [, path = ''] of paths) {
      expect([...newServer.keys()].some((file) => file.startsWith(path))).toBe(true)
    }
  })
})

describe('the setup prompt of README.md', () => {
  const [, prompt = ''] =
    /```text\n(Build a remote MCP server[\s\S]*?)```/.exec(read('README.md')) ?? []

  it('is in the section that creates a server', () => {
    const [, section = ''] = read('README.md').split('\n## Create your own\n')
    expect(section.split('\n## ')[0]).toContain(prompt)
    expect(prompt).not.toBe('')
  })

  it('names commands, ways to sign in and a skill that exist', () => {
    expect(prompt).toContain('npm ci && npm run create -- ../my-server --auth open --yes\n')
    expect(manifest.scripts.create).toBe('node packages/cli/src/edgeway.ts init')
    for (const auth of AUTH_NAMES) expect(prompt).toContain(auth)
    const [, path = '', step] =
      /node_modules\/edgeway\/(skills\S+) from step (\d)/.exec(prompt) ?? []
    expect(read(path)).toContain(`\n## ${step}. Write the tools\n`)
    expect(newServer.has('AGENTS.md')).toBe(true)
  })
})

describe('AGENTS.md of a new server', () => {
  const agentsOf = (auth: (typeof AUTH_NAMES)[number], needsKey?: boolean) =>
    String(
      starterFiles({
        name: 'parcels',
        auth,
        description:
          needsKey === undefined
            ? undefined
            : { text: '{}', needsKey, baseUrl: 'https://parcels.example.com' },
        edgeway: '^1.2.3',
      }).get('AGENTS.md'),
    )

  it.each(AUTH_NAMES)('with the sign-in %s has the rules of this sign-in alone', (auth) => {
    const text = agentsOf(auth)
    expect(text).not.toMatch(/<\w+>\n/)
    expect(text.includes('src/auth.ts')).toBe(auth !== 'open')
    expect(text.includes('Every caller who knows the URL can use every tool')).toBe(auth === 'open')
    expect(text.includes('ctx.auth.props.apiKey')).toBe(auth === 'api-key')
    expect(text).not.toContain('description.json')
    // The same steps as in README.md.
    expect(text).toContain(auth === 'open' ? 'pass `auth` to `createEdgeway`' : 'EDGEWAY_ORIGIN')
  })

  it('with an OpenAPI description says where the tools of the API come from', () => {
    expect(agentsOf('open', false)).toContain('| `src/description.json` |')
    expect(agentsOf('open', false)).not.toContain('API_KEY')
    expect(agentsOf('github', true)).toContain('The secret `API_KEY` is sent to the API')
  })

  it('has tables and lists without a gap', () => {
    const text = agentsOf('api-key', true)
    expect(text).toMatch(
      /\| `test\/` \|.*\n\| `src\/auth\.ts` \|.*\n\| `src\/description\.json` \|/,
    )
    expect(text.match(/^- (?:.*\n- )+/m)?.[0]).toBeDefined()
    expect(text.slice(text.indexOf('## Rules'), text.indexOf('## Tests'))).not.toMatch(
      /\n\n-.*\n\n-/,
    )
  })

  it('is imported by CLAUDE.md', () => {
    expect(textOf('CLAUDE.md')).toBe('@AGENTS.md\n')
  })
})
