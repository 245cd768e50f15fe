/** Tests the parts of `edgeway init`. `test/tarball` installs and runs what it writes. */
// features: all
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { AUTH_NAMES, type AuthChoice } from '../src/init/auth-choice.ts'
import { checkDestination } from '../src/init/destination.ts'
import { edgewayPackage } from '../src/init/edgeway-package.ts'
import { type Answers, askMissing } from '../src/init/questions.ts'
import { type Files, starterFiles } from '../src/init/starter-files.ts'
import { writeFiles } from '../src/init/write-files.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-init-'))
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(TEMPORARY, 'case-'))
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

const jsonOf = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

const filesOf = (auth: AuthChoice, read?: { text: string; needsKey: boolean }) => {
  const description = read && { ...read, baseUrl: 'https://parcels.example.com/v1' }
  return starterFiles({ name: 'parcels', auth, description, edgeway: '^1.2.3' })
}

const textOf = (files: Files, path: string) => String(files.get(path))

/** JSON without the comments of JSONC, which stand on lines of their own. */
const configOf = (files: Files) =>
  JSON.parse(textOf(files, 'wrangler.jsonc').replace(/^\s*\/\/.*$/gm, ''))

describe('the name of a new server', () => {
  it.each(['a', 'my-server', 'mcp2', '2mcp', 'x'.repeat(63)])('may be %s', (name) => {
    expect(checkDestination(name, folder)).toEqual({ name, directory: join(folder, name) })
  })

  it.each([
    '',
    ' ',
    'My-Server',
    'my server',
    'my_server',
    '-server',
    'server-',
    '.server',
    '@acme/Server',
    'x'.repeat(64),
    'serveur-é',
    '$(id)',
    'edgeway',
    'zod',
    'node',
    'wrangler',
  ])('may not be %j, and no folder is written', (name) => {
    expect(() => checkDestination(name, folder)).toThrow(/name/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is suggested in its valid spelling', () => {
    expect(() => checkDestination('My Server', folder)).toThrow(/my-server would be/)
  })

  it('is the last part of a path', () => {
    expect(checkDestination('a/b', folder)).toEqual({
      name: 'b',
      directory: join(folder, 'a/b'),
    })
    mkdirSync(join(folder, 'here'))
    expect(checkDestination('.', join(folder, 'here')).name).toBe('here')
  })
})

describe('the folder of a new server', () => {
  it('may exist and be empty, or have a git repository alone', () => {
    mkdirSync(join(folder, 'server/.git'), { recursive: true })
    expect(checkDestination('server', folder).directory).toBe(join(folder, 'server'))
  })

  it('is refused when it has files', () => {
    mkdirSync(join(folder, 'server'))
    writeFileSync(join(folder, 'server/notes.txt'), 'mine')
    expect(() => checkDestination('server', folder)).toThrow(
      /is not empty\. Nothing was written\. Name a new folder\./,
    )
  })

  it('is refused when it is a file', () => {
    writeFileSync(join(folder, 'server'), 'mine')
    expect(() => checkDestination('server', folder)).toThrow(/exists and is no folder/)
    symlinkSync(join(folder, 'server'), join(folder, 'link'))
    expect(() => checkDestination('link', folder)).toThrow(/exists and is no folder/)
  })

  it('is refused when it is a link to a folder that does not exist', () => {
    symlinkSync('nowhere', join(folder, 'link'))
    expect(() => checkDestination('link', folder)).toThrow(
      /link is a link to a folder that does not exist/,
    )
  })
})

describe('the files of a new server', () => {
  it.each(AUTH_NAMES)('with the sign-in %s name the server and no placeholder', (auth) => {
    const files = filesOf(auth, { text: '{}', needsKey: true })
    for (const [path, content] of files) {
      expect([path, String(content)]).toEqual([
        path,
        expect.not.stringMatching(/edgeway-starter|<deploy>|<generated>/),
      ])
    }
    expect(JSON.parse(textOf(files, 'package.json')).name).toBe('parcels')
    expect(configOf(files).name).toBe('parcels')
  })

  it.each(AUTH_NAMES)('with the sign-in %s bind exactly the exported objects', (auth) => {
    const files = filesOf(auth)
    const exported = [...textOf(files, 'src/worker.ts').matchAll(/export class (\w+)/g)].map(
      ([, name]) => name,
    )
    const { durable_objects, migrations, compatibility_flags } = configOf(files)
    const classes = durable_objects.bindings.map(
      ({ class_name }: { readonly class_name: string }) => class_name,
    )
    expect(classes).toEqual(exported)
    expect(migrations).toEqual([{ tag: 'v1', new_sqlite_classes: exported }])
    expect(exported).toEqual(['McpObjects'])
    expect(compatibility_flags.includes('global_fetch_strictly_public')).toBe(auth !== 'open')
  })

  it('are few, and the first one of an author is short', () => {
    // A checkout adds a tarball of Edgeway.
    const sizes = AUTH_NAMES.map((auth) => [auth, filesOf(auth).size + 1])
    expect(Object.fromEntries(sizes)).toEqual({
      open: 15,
      passphrase: 18,
      github: 18,
      google: 18,
      oidc: 18,
      'api-key': 16,
    })
    for (const auth of AUTH_NAMES) {
      const worker = textOf(filesOf(auth), 'src/worker.ts')
      expect(worker.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
      expect(worker).not.toContain('declare const')
    }
  })

  it.each(AUTH_NAMES)('with the sign-in %s have the tests of all layers in one file', (auth) => {
    const tests = textOf(filesOf(auth, { text: '{}', needsKey: false }), 'test/tools.test.ts')
    const modules = [...tests.matchAll(/^import .* from '(.+)'$/gm)].map(([, name]) => name)
    expect(modules).toEqual([
      'cloudflare:workers',
      'edgeway/testing',
      'vitest',
      '../src/server.ts',
      '../src/worker.ts',
    ])
    expect(tests).toMatch(/^import \{ accept, connect, decline \} from 'edgeway\/testing'$/m)
    expect(tests).toMatch(/^import app from/m)
    for (const title of ['returns a number of the die', 'has tools of the API beside its own']) {
      expect(tests).toContain(title)
    }
    expect(tests.includes('refuses a client without a token')).toBe(auth !== 'open')
  })

  it('have the compatibility date of the examples', () => {
    const date = /compatibility_date = "(.*)"/.exec(
      readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'),
    )?.[1]
    expect(configOf(filesOf('open')).compatibility_date).toBe(date)
    expect(configOf(filesOf('github')).compatibility_date).toBe(date)
  })

  it.each(AUTH_NAMES)('with the sign-in %s say only in development that they are', (auth) => {
    const files = filesOf(auth)
    const { scripts } = JSON.parse(textOf(files, 'package.json'))
    expect(scripts.dev).toBe('edgeway dev')
    expect(textOf(files, 'vitest.config.ts')).toContain(`{ EDGEWAY_ORIGIN: 'development' }`)
    expect(scripts.deploy).toBe('wrangler deploy')
    expect(textOf(files, 'wrangler.jsonc')).not.toMatch(/development/)
    expect(textOf(files, '.dev.vars')).not.toMatch(/EDGEWAY_ORIGIN/)
  })

  it('have the versions that this repository is tested with', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf(filesOf('open'), 'package.json'))
    const { devDependencies: ours } = jsonOf('package.json')
    expect(dependencies).toEqual({ edgeway: '^1.2.3', zod: ours.zod })
    expect(Object.keys(devDependencies)).toContain('node')
    for (const [name, version] of Object.entries(devDependencies)) {
      expect([name, version]).toEqual([name, ours[name]])
    }
  })

  it.each([
    ['passphrase', ['EDGEWAY_PASSPHRASE']],
    ['github', ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET']],
    ['google', ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']],
    ['oidc', ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']],
  ] as const)('with the sign-in %s declare the secrets %j', (auth, secrets) => {
    const files = filesOf(auth)
    expect(configOf(files).secrets).toEqual({ required: secrets })
    for (const secret of secrets) {
      expect(textOf(files, '.dev.vars')).toContain(`${secret}="`)
      expect(textOf(files, '.dev.vars.example')).toContain(`${secret}="replace-me"`)
      expect(textOf(files, 'README.md')).toContain(`wrangler secret put ${secret}`)
    }
  })

  it.each(['open', 'api-key'] as const)('with the sign-in %s have no secret', (auth) => {
    const files = filesOf(auth)
    expect(files.has('.dev.vars')).toBe(false)
    expect(configOf(files).secrets).toBeUndefined()
  })

  it('have a passphrase that is new in each server, in a file that git ignores', () => {
    const passphraseOf = (files: Files) =>
      /^EDGEWAY_PASSPHRASE="([\w-]{24})"$/m.exec(textOf(files, '.dev.vars'))?.[1]
    const one = passphraseOf(filesOf('passphrase'))
    expect(one).toBeDefined()
    expect(passphraseOf(filesOf('passphrase'))).not.toBe(one)
    expect(textOf(filesOf('passphrase'), '.gitignore').split('\n')).toContain('.dev.vars*')
  })

  it('have the key of an API only when its description declares credentials', () => {
    const description = '{"openapi":"3.1.0"}\n'
    const files = filesOf('passphrase', { text: description, needsKey: true })
    expect(configOf(files).secrets.required).toEqual(['EDGEWAY_PASSPHRASE', 'API_KEY'])
    expect(textOf(files, 'src/description.json')).toBe(description)
    expect(textOf(files, 'src/server.ts')).toContain('API_KEY')
    const open = filesOf('open', { text: description, needsKey: false })
    expect(textOf(open, 'src/server.ts')).toContain('fromOpenAPI(description)')
    expect(open.has('.dev.vars')).toBe(false)
  })

  it.each(AUTH_NAMES)('with the sign-in %s say whose key the tools of an API send', (auth) => {
    const files = filesOf(auth, { text: '{}', needsKey: true })
    const all = [...files.values()].join('\n')
    const documents = ['README.md', 'AGENTS.md'].map((path) => textOf(files, path))
    if (auth === 'api-key') {
      expect(all).not.toContain('API_KEY')
      expect(textOf(files, 'src/server.ts')).toContain('{ auth: keyOfCaller }')
      expect(textOf(files, 'src/auth.ts')).toContain("'https://parcels.example.com/v1/me'")
    }
    const sentence = {
      'api-key': 'Each person acts at the API with their own key',
      open: 'All who know the URL of the server act with this key at the API.',
    }
    const { [auth as 'open']: own = 'All who sign in act with this key at the API.' } = sentence
    for (const document of documents) expect(document).toContain(own)
  })

  it.each([
    ['open', undefined],
    ['passphrase', undefined],
    ['open', { text: '{"openapi":"3.1.0"}', needsKey: false }],
    ['open', { text: '{"openapi":"3.1.0"}', needsKey: true }],
  ] as const)('have a Server Card that directories take: %s, %j', (auth, description) => {
    const files = filesOf(auth, description)
    const [, name = ''] =
      /serverCard\(\{ name: '([^']+)' \}\)/.exec(textOf(files, 'src/features.ts')) ?? []
    expect(name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    expect(name).toBe('io.github.your-account/parcels')
    expect(textOf(files, 'src/server.ts')).toMatch(/description: '[^']{1,100}'/)
    expect(textOf(files, 'README.md')).toContain('npx edgeway server-json --write')
    // The command writes it, for the origin of the deployment.
    expect(files.has('server.json')).toBe(false)
  })
})

describe('writing a new server', () => {
  it('writes all files, and secrets for their owner alone', () => {
    const directory = join(folder, 'parcels')
    const files = filesOf('passphrase')
    writeFiles(directory, files)
    for (const [path, content] of files) {
      expect(readFileSync(join(directory, path), 'utf8')).toBe(content)
    }
    expect(readdirSync(folder)).toEqual(['parcels'])
    expect(statSync(join(directory, '.dev.vars')).mode & 0o077).toBe(0)
  })

  it('keeps the git repository of an existing folder', () => {
    mkdirSync(join(folder, 'parcels/.git'), { recursive: true })
    writeFiles(join(folder, 'parcels'), filesOf('passphrase'))
    expect(readdirSync(join(folder, 'parcels'))).toEqual(
      expect.arrayContaining(['.git', '.github', 'package.json', 'src']),
    )
    expect(statSync(join(folder, 'parcels/.dev.vars')).mode & 0o077).toBe(0)
    expect(readdirSync(join(folder, 'parcels')).filter((name) => /parcels/.test(name))).toEqual([])
  })

  it.each([
    ['a file of the author', 'README.md'],
    ['the server of another run', 'src/index.ts'],
  ])('leaves %s that was written meanwhile, and nothing else', (_, path) => {
    mkdirSync(join(folder, 'parcels/src'), { recursive: true })
    writeFileSync(join(folder, 'parcels', path), 'mine')
    expect(() => writeFiles(join(folder, 'parcels'), filesOf('open'))).toThrow(
      /is not empty any more\. Nothing was written/,
    )
    const left = readdirSync(join(folder, 'parcels'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([basename(path)])
    expect(readFileSync(join(folder, 'parcels', path), 'utf8')).toBe('mine')
  })

  it('leaves nothing when a file cannot be written', () => {
    const files: Files = new Map([
      ['a', 'a file'],
      ['a/b', 'a file in a file'],
    ])
    expect(() => writeFiles(join(folder, 'parcels'), files)).toThrow()
    expect(readdirSync(folder)).toEqual([])
  })
})

// Where the system creates no folder, Node's recursive creation never returns.
describe.skipIf(!existsSync('/proc'))('writing a new server where no folder can be created', () => {
  it('ends with an error that names the folder', () => {
    expect(() => writeFiles('/proc/parcels', new Map([['a/b', 'text']]))).toThrow(
      /\/proc\/parcels cannot be written \(ENOENT\)/,
    )
  })
})

describe('the dependency of a new server on Edgeway', () => {
  it('is the version of the registry when npm has installed the command from there', async () => {
    const packages = {
      'node_modules/edgeway': { resolved: 'https://registry.example/edgeway.tgz' },
    }
    mkdirSync(join(folder, 'node_modules/edgeway'), { recursive: true })
    const lock = join(folder, 'node_modules/.package-lock.json')
    writeFileSync(lock, JSON.stringify({ packages }))
    const specifier = `^${jsonOf('package.json').version}`
    expect(await edgewayPackage(join(folder, 'node_modules/edgeway'))).toEqual({ specifier })
    rmSync(lock)
    expect(await edgewayPackage(join(folder, 'node_modules/edgeway'))).toEqual({ specifier })
  })
})

describe('the questions of edgeway init', () => {
  /** Presses keys, each when a text has been shown. */
  async function answer(given: Partial<Answers>, ...steps: readonly [RegExp, string][]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 })
    let shown = ''
    output.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
    const answers = askMissing(given, { input, output })
    for (const [text, keys] of steps) {
      await expect.poll(() => shown).toMatch(text)
      input.write(keys)
    }
    return { answers: await answers, shown }
  }

  const ENTER = '\r'
  const DOWN = '\x1b[B'
  const CTRL_C = '\x03'
  const CTRL_D = '\x04'

  it('are three: the name, the sign-in and the description', async () => {
    const path = join(folder, 'parcels')
    const { answers } = await answer(
      {},
      [/name of the server/, `${path}${ENTER}`],
      [/Who can use it/, `${DOWN}${DOWN}${ENTER}`],
      [/OpenAPI/, `./api.json${ENTER}`],
    )
    expect(answers).toEqual({ path, auth: 'github', openapi: './api.json' })
  })

  it('repeat the question about a name that is not valid', async () => {
    const { answers } = await answer(
      { auth: 'open' },
      [/name of the server/, `My Server${ENTER}`],
      [/my-server would be/, CTRL_C],
    )
    expect(answers).toBeUndefined()
  })

  it('do not ask for what the command line says', async () => {
    const { answers, shown } = await answer({ path: 'parcels', auth: 'oidc' }, [/OpenAPI/, ENTER])
    expect(answers).toEqual({ path: 'parcels', auth: 'oidc' })
    expect(shown).not.toMatch(/name of the server|Who can use it/)
  })

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('end without an answer when the person presses %s', async (_, keys) => {
    expect((await answer({ path: 'parcels' }, [/Who can/, keys])).answers).toBeUndefined()
    expect((await answer({ auth: 'open' }, [/name of the server/, keys])).answers).toBeUndefined()
  })
})

describe('the package create-edgeway', () => {
  it('has the version of the package edgeway, and depends on exactly this version', () => {
    const { version } = jsonOf('package.json')
    const { version: own, dependencies } = jsonOf('packages/create-edgeway/package.json')
    expect([own, dependencies.edgeway]).toEqual([version, version])
  })
})
