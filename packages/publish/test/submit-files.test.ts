/** Tests what `edgeway submit` writes for each directory. */
// features: all
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { codesOf, LISTING, SUBMISSION } from '../../../test/support/node/submission.ts'
import { formText } from '../src/submit/form-text.ts'
import { type Prepared, prepare } from '../src/submit/prepare.ts'

const textOf = ({ files }: Prepared, path: string) => new TextDecoder().decode(files.get(path))
const jsonOf = (prepared: Prepared, path: string) => JSON.parse(textOf(prepared, path))

const schema = (name: string) =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, `agent-plugins/${name}`), 'utf8'))

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
