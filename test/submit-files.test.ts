/** Tests what `edgeway submit` writes for each directory, and what it refuses. */
// features: all
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { unzipSync } from 'fflate'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { formText } from '../cli/submit/form-text.ts'
import type { ImageFile } from '../cli/submit/image-files.ts'
import { compareOutput, writeOutput } from '../cli/submit/output-folder.ts'
import { textFile } from '../cli/submit/plugin-files.ts'
import { PLUGIN_FOLDER, type Prepared, prepare } from '../cli/submit/prepare.ts'
import type { Submission } from '../cli/submit/submission.ts'
import { zipFolder } from '../cli/submit/zip.ts'
import { LISTING, SUBMISSION, withListing } from './support/node/submission.ts'

const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-submit-'))
let out = ''

beforeEach(() => {
  out = mkdtempSync(join(TEMPORARY, 'case-'))
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

type Target = 'claude' | 'openai'

const textOf = ({ files }: Prepared, path: string) => new TextDecoder().decode(files.get(path))
const jsonOf = (prepared: Prepared, path: string) => JSON.parse(textOf(prepared, path))

/** The codes of why a submission is refused. */
function codesOf(target: Target, submission: Submission): readonly string[] {
  const { findings, problems } = prepare(target, submission)
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...errors, ...problems].map(({ code }) => code)
}

const schema = (name: string) =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, `fixtures/agent-plugins/${name}`), 'utf8'))

/** The faults of a value by a published schema. */
function faultsOf(name: string, value: unknown) {
  const validate = new Ajv2020().compile(schema(name))
  validate(value)
  return validate.errors ?? []
}

const openai = prepare('openai', SUBMISSION)
const claude = prepare('claude', SUBMISSION)

describe('the submission to OpenAI', () => {
  it('is accepted, and has both forms of the plugin', () => {
    expect(codesOf('openai', SUBMISSION)).toEqual([])
    expect([...openai.files.keys()].sort()).toEqual([
      'chatgpt-app-submission.json',
      'dashboard.md',
      'plugin/.codex-plugin/plugin.json',
      'plugin/.mcp.json',
      'plugin/LICENSE',
      'plugin/README.md',
      'plugin/assets/logo.png',
      'plugin/mcp.json',
      'plugin/plugin.json',
    ])
    expect(openai.zip).toBe('parcels-1.2.3.zip')
  })

  it('has a manifest and servers that are valid by the schemas of Agent Plugins', () => {
    const manifest = jsonOf(openai, 'plugin/plugin.json')
    const servers = jsonOf(openai, 'plugin/mcp.json')
    expect(faultsOf('plugin.schema.json', manifest)).toEqual([])
    expect(faultsOf('mcp.schema.json', servers)).toEqual([])
    expect(faultsOf('plugin.schema.json', { ...manifest, mcpServers: './mcp.json' })).toHaveLength(
      1,
    )
    expect(servers.mcpServers).toEqual({
      parcels: { type: 'streamable-http', url: 'https://mcp.parcels.dev/mcp' },
    })
  })

  it('describes the plugin, its review and its publication', () => {
    const { extensions, ...identity } = jsonOf(openai, 'plugin/plugin.json')
    expect(identity).toEqual({
      $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
      name: 'parcels',
      version: '1.2.3',
      description: 'Finds parcels by their number',
      author: { name: 'Parcels Ltd', url: 'https://parcels.dev' },
      homepage: 'https://parcels.dev/docs',
      license: 'MIT',
    })
    const { interface: screen, review, publication } = extensions['com.openai']
    expect(screen).toEqual({
      displayName: 'Parcels',
      shortDescription: 'Where parcels are',
      longDescription: LISTING.description,
      developerName: 'Parcels Ltd',
      category: 'Productivity',
      capabilities: ['Find parcels'],
      websiteURL: 'https://parcels.dev',
      supportURL: 'https://parcels.dev/support',
      privacyPolicyURL: 'https://parcels.dev/privacy',
      termsOfServiceURL: 'https://parcels.dev/terms',
      defaultPrompt: ['Where is parcel 7?'],
      composerIcon: './assets/logo.png',
      logo: './assets/logo.png',
    })
    expect(review.test_cases.positive[0]).toEqual({
      description: 'Case 1',
      prompt: 'Where is parcel 1?',
      tools_triggered: 'find_parcel',
      expected_behavior: 'The place of parcel 1.',
    })
    expect(Object.keys(review.test_cases.negative[0])).not.toContain('tools_triggered')
    expect(review).toMatchObject({
      demo_recording_url: 'https://parcels.dev/recording',
      commerce: false,
    })
    expect(publication).toEqual({ countries: ['DE'], release_notes: 'The first version.' })
  })

  it('has the same interface in the manifest of Codex, which names its servers', () => {
    const { extensions } = jsonOf(openai, 'plugin/plugin.json')
    const codex = jsonOf(openai, 'plugin/.codex-plugin/plugin.json')
    expect(codex.interface).toEqual(extensions['com.openai'].interface)
    expect(codex.mcpServers).toBe('./.mcp.json')
    expect(jsonOf(openai, 'plugin/.mcp.json')).toEqual({
      mcpServers: { parcels: { type: 'http', url: 'https://mcp.parcels.dev/mcp' } },
    })
  })

  it('fills in the form of apps: hints, justifications and cases', () => {
    const form = jsonOf(openai, 'chatgpt-app-submission.json')
    expect(form).toMatchObject({
      $schema: 'https://developers.openai.com/plugins/schemas/chatgpt-app-submission.v1.json',
      schema_version: 1,
      app_info: {
        display_name: 'Parcels',
        subtitle: 'Where parcels are',
        description: LISTING.description,
        category: 'PRODUCTIVITY',
      },
    })
    expect(form.tools.delete_parcel).toEqual({
      annotations: { readOnlyHint: false, openWorldHint: false, destructiveHint: true },
      justifications: {
        read_only_justification: 'It reads.',
        open_world_justification: 'It is private.',
        destructive_justification: 'It deletes it.',
      },
    })
    expect(form.test_cases).toHaveLength(5)
    expect(form.negative_test_cases).toHaveLength(3)
    expect(form.negative_test_cases[0]).toEqual({
      description: 'Case 6',
      user_prompt: 'Where is parcel 6?',
      file_attachment_urls: null,
      tools_triggered: null,
      expected_output: 'The place of parcel 6.',
      expected_output_url: null,
    })
  })

  it('names in the steps the challenge, the justifications and the account', () => {
    const steps = textOf(openai, 'dashboard.md')
    expect(steps).toContain('Upload `parcels-1.2.3.zip`')
    expect(steps).toContain('https://mcp.parcels.dev/.well-known/openai-apps-challenge')
    expect(steps).toContain('- `destructiveHint: true`: It deletes it.')
    expect(steps).toContain('It has three parcels.')
  })

  it('keeps the note for reviewers out of the plugin', () => {
    const inPlugin = [...openai.files].filter(([path]) => path.startsWith('plugin/'))
    const texts = inPlugin.map(([, bytes]) => new TextDecoder().decode(bytes)).join('')
    expect(texts).not.toContain('three parcels')
  })
})

describe('the submission to Claude', () => {
  it('is accepted, and has the plugin with a README and a license', () => {
    expect(codesOf('claude', SUBMISSION)).toEqual([])
    expect([...claude.files.keys()].sort()).toEqual([
      'form.md',
      'plugin/.claude-plugin/plugin.json',
      'plugin/.mcp.json',
      'plugin/LICENSE',
      'plugin/README.md',
    ])
    expect(jsonOf(claude, 'plugin/.mcp.json')).toEqual({
      mcpServers: { parcels: { type: 'http', url: 'https://mcp.parcels.dev/mcp' } },
    })
    const words = textOf(claude, 'plugin/README.md').split(/\s+/)
    expect(words.length).toBeGreaterThanOrEqual(40)
  })

  it('has the fields of the form in its order, each with its length and limit', () => {
    const form = textOf(claude, 'form.md')
    expect([...form.matchAll(/^## \d+\. (.*)$/gm)].map(([, title]) => title)).toEqual([
      'Server URL',
      'Server name',
      'One-liner',
      'Description',
      'Categories',
      'Documentation URL',
      'Privacy policy URL',
      'Support contact',
      'Icon',
      'Slug',
      'Use cases',
      'Prerequisites',
      'Reads and writes',
      'Company',
      'Contact',
      'Data handling',
      'Acknowledgements',
      'Test account',
      'Confirmation of your tests',
    ])
    expect(form).toContain('29 of 200 characters:\n\n```text\nFind parcels by their number.\n```')
    expect(form).toContain('Reads: find_parcel\nModifies or deletes: delete_parcel')
  })

  it('says that a URL with a part of each customer is not universal', () => {
    const submission = { ...SUBMISSION, url: 'https://mcp.parcels.dev/{org}/mcp' }
    expect(textOf(prepare('claude', submission), 'form.md')).toContain('Per customer')
    expect(textOf(claude, 'form.md')).toContain('Universal.')
  })

  it('keeps the text of a field that contains fences and headings as it is', () => {
    const text = '# Title\n````js\ncode\n````\n'
    const form = formText('Form', [{ title: 'Description', field: text }])
    expect(form).toContain(`\`\`\`\`\`text\n${text}\n\`\`\`\`\``)
  })
})

const picture = (changes: Partial<ImageFile> = {}): ImageFile => ({
  member: 'logo',
  path: 'logo.png',
  bytes: new Uint8Array(8),
  type: 'png',
  width: 64,
  height: 64,
  ...changes,
})

const withLogo = (changes: Partial<ImageFile>): Submission => ({
  ...SUBMISSION,
  images: { ...SUBMISSION.images, logos: { logo: picture(changes) } },
})

const without = (member: keyof typeof LISTING) => {
  const { [member]: _, ...listing } = LISTING
  return { ...SUBMISSION, listing }
}

const claudeListing = (changes: Partial<NonNullable<typeof LISTING.claude>>) =>
  withListing({ claude: { ...LISTING.claude, ...changes } })

const openaiListing = (changes: Partial<NonNullable<typeof LISTING.openai>>) =>
  withListing({ openai: { ...LISTING.openai, ...changes } })

describe('a submission that the directory would refuse', () => {
  it.each<[string, Target, Submission, readonly string[]]>([
    ['no privacy policy', 'claude', without('privacy'), ['listing-field-missing']],
    ['no terms', 'openai', without('terms'), ['listing-field-missing']],
    ['no cases', 'openai', without('cases'), ['listing-cases']],
    [
      'a case with a tool that does not exist',
      'openai',
      withListing({
        cases: {
          positive: [1, 2, 3, 4, 5].map((at) => ({
            ...{ description: `${at}`, prompt: `${at}`, expected: `${at}`, tools: ['find'] },
          })),
          negative: LISTING.cases?.negative ?? [],
        },
      }),
      Array(5).fill('listing-case-tool'),
    ],
    [
      'no justification of a tool',
      'openai',
      withListing({
        justifications: { find_parcel: LISTING.justifications?.find_parcel as never },
      }),
      ['listing-justification'],
    ],
    [
      'a subtitle of 31 characters',
      'openai',
      withListing({ shortDescription: 'x'.repeat(31) }),
      ['listing-field-too-long'],
    ],
    [
      'a one-liner of 201 characters',
      'claude',
      claudeListing({ oneLiner: 'x'.repeat(201) }),
      ['listing-field-too-long'],
    ],
    [
      'six categories',
      'claude',
      claudeListing({ categories: [...'abcdef'] }),
      ['listing-too-many'],
    ],
    [
      'no data handling',
      'claude',
      claudeListing({ dataHandling: undefined }),
      ['declaration-missing'],
    ],
    ['no use case', 'claude', claudeListing({ useCases: [' '] }), ['declaration-missing']],
    [
      'an open acknowledgement and no test in the Inspector',
      'claude',
      claudeListing({
        acknowledgements: { ...LISTING.claude?.acknowledgements, aiMedia: false } as never,
        tested: { inspector: false, customConnector: true },
      }),
      ['declaration-open', 'declaration-open'],
    ],
    ['no contact', 'claude', without('company'), ['declaration-missing']],
    ['no account for reviewers', 'claude', without('testAccount'), ['declaration-missing']],
    ['no account for reviewers', 'openai', without('testAccount'), ['declaration-missing']],
    [
      'an unknown category',
      'openai',
      openaiListing({ category: 'Fun' }),
      ['listing-field-invalid'],
    ],
    [
      'a country by its name',
      'openai',
      openaiListing({ countries: ['Germany'] }),
      ['country-unknown'],
    ],
    [
      'purchases without a description',
      'openai',
      openaiListing({ commerce: true, commerceDescription: '' }),
      ['declaration-missing'],
    ],
    [
      'a URL with a part of each customer',
      'openai',
      { ...SUBMISSION, url: 'https://mcp.parcels.dev/{org}/mcp' },
      ['url-template'],
    ],
    [
      'a name in capitals',
      'claude',
      withListing({ name: 'Parcels', claude: { ...LISTING.claude, slug: 'parcels' } }),
      ['plugin-name'],
    ],
    ['a name with an underscore', 'openai', withListing({ name: 'my_parcels' }), ['plugin-name']],
    ['no license', 'claude', { ...SUBMISSION, licenseText: undefined }, ['license-missing']],
    ['a logo that is not square', 'openai', withLogo({ width: 65 }), ['logo-size']],
    ['a logo of 32 pixels', 'claude', withLogo({ width: 32, height: 32 }), ['logo-size']],
    [
      'a logo of 6 MiB',
      'openai',
      withLogo({ bytes: new Uint8Array(6 * 1024 * 1024) }),
      ['logo-size'],
    ],
    ['a logo that is a GIF', 'openai', withLogo({ type: 'gif', path: 'logo.gif' }), ['image-type']],
    ['a JPEG file that is named PNG', 'openai', withLogo({ type: 'jpg' }), ['image-type']],
    ['no logo', 'openai', without('logo'), ['listing-field-missing']],
    [
      'screenshots of a server without views',
      'claude',
      claudeListing({ screenshots: ['a.png', 'b.png', 'c.png'] }),
      ['listing-screenshots'],
    ],
    [
      'a screenshot that is too narrow',
      'claude',
      {
        ...SUBMISSION,
        images: {
          ...SUBMISSION.images,
          claudeScreenshots: [picture({ member: 'claude.screenshots[0]', width: 999 })],
        },
      },
      ['screenshot-size'],
    ],
    [
      'a screenshot of 707 pixels',
      'openai',
      {
        ...SUBMISSION,
        images: {
          ...SUBMISSION.images,
          openaiScreenshots: [picture({ width: 707, height: 500 })],
        },
      },
      ['screenshot-size'],
    ],
  ])('with %s is refused by %s by name', (_, target, submission, codes) => {
    expect(codesOf(target, submission)).toEqual(codes)
  })

  it('says of each reason what to write', () => {
    const { problems } = prepare('claude', without('testAccount'))
    expect(problems).toEqual([
      {
        code: 'declaration-missing',
        message: 'directory.json has no "testAccount"',
        fix: expect.stringMatching(/^Write how reviewers sign in/),
      },
    ])
  })

  it('needs no account of a server without sign-in', () => {
    expect(codesOf('claude', { ...without('testAccount'), hasSignIn: false })).toEqual([])
  })
})

describe('the ZIP of a plugin', () => {
  const zip = () => zipFolder(out, PLUGIN_FOLDER, openai.files, false)
  const entriesOf = (bytes: Uint8Array) => Object.keys(unzipSync(bytes))

  it('has the files of the folder at its root, sorted', () => {
    expect(entriesOf(zip())).toEqual([
      '.codex-plugin/plugin.json',
      '.mcp.json',
      'LICENSE',
      'README.md',
      'assets/logo.png',
      'mcp.json',
      'plugin.json',
    ])
  })

  it('has the same bytes in every time zone, and before and after it is written', () => {
    const script = `
      import { createHash } from 'node:crypto'
      const { zipFolder } = await import(${JSON.stringify(resolve(import.meta.dirname, '../cli/submit/zip.ts'))})
      const files = new Map([['plugin/a.json', new TextEncoder().encode('{}')]])
      const bytes = zipFolder('/nowhere', 'plugin', files, false)
      process.stdout.write(createHash('sha256').update(bytes).digest('hex'))`
    const hashes = ['UTC', 'Pacific/Apia', 'America/Sao_Paulo'].map(
      (TZ) =>
        spawnSync(process.execPath, ['--input-type=module', '-e', script], {
          env: { ...process.env, TZ },
          encoding: 'utf8',
        }).stdout,
    )
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(hashes).size).toBe(1)
    const before = zip()
    writeOutput(out, compareOutput(out, openai.files), false)
    expect(zip()).toEqual(before)
  })

  it('has what the author has changed and added in the folder', () => {
    writeOutput(out, compareOutput(out, openai.files), false)
    writeFileSync(join(out, 'plugin/README.md'), 'mine')
    mkdirSync(join(out, 'plugin/skills/find'), { recursive: true })
    writeFileSync(join(out, 'plugin/skills/find/SKILL.md'), 'skill')
    writeFileSync(join(out, 'plugin/.DS_Store'), 'x')
    const entries = unzipSync(zip())
    expect(new TextDecoder().decode(entries['README.md'])).toBe('mine')
    expect(Object.keys(entries)).toContain('skills/find/SKILL.md')
    expect(Object.keys(entries)).not.toContain('.DS_Store')
    const forced = unzipSync(zipFolder(out, PLUGIN_FOLDER, openai.files, true))
    expect(new TextDecoder().decode(forced['README.md'])).toBe(textOf(openai, 'plugin/README.md'))
  })

  it('has no file of an earlier run that is not written any more', () => {
    const earlier = new Map([...openai.files, ['plugin/assets/old.png', textFile('old')]])
    writeOutput(out, compareOutput(out, earlier), false)
    expect(entriesOf(zip())).not.toContain('assets/old.png')
  })

  it('is refused with a link and with a secret of a file that the author has added', () => {
    mkdirSync(join(out, 'plugin'))
    symlinkSync('/etc/passwd', join(out, 'plugin/notes.txt'))
    expect(zip).toThrow(/plugin\/notes\.txt is no file: a plugin has no links/)
    rmSync(join(out, 'plugin/notes.txt'))
    writeFileSync(join(out, 'plugin/notes.txt'), 'password: hunter2')
    expect(zip).toThrow(/^notes\.txt: this text contains a password or token/)
  })

  it('is refused with more than 5,000 files', () => {
    const many = Array.from(
      { length: 5001 },
      (_, at) => [`plugin/${at}.md`, textFile('x')] as const,
    )
    expect(() => zipFolder(out, PLUGIN_FOLDER, new Map(many), false)).toThrow(
      /The plugin has 5001 files, and 5000 are allowed/,
    )
  })

  const python = spawnSync('python3', ['--version']).status === 0
  it.runIf(python)('can be read by another library, which finds no fault in it', () => {
    writeFileSync(join(out, 'plugin.zip'), zip())
    const script = [
      'import sys, zipfile',
      'archive = zipfile.ZipFile(sys.argv[1])',
      'assert archive.testzip() is None',
      "print('\\n'.join(f'{i.filename} {i.date_time[0]} {i.external_attr >> 16:o}' for i in archive.infolist()))",
    ].join('\n')
    const { stdout } = spawnSync('python3', ['-c', script, join(out, 'plugin.zip')], {
      encoding: 'utf8',
    })
    expect(stdout.split('\n')).toContain('plugin.json 2000 100644')
  })
})
