/** The texts that a release changes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  notesOf,
  publicRepository,
  START_FILES,
  withDeployButton,
  withPublishedStart,
  withRelease,
} from '../scripts/support/release-texts.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')

/** The lines of one text that the other does not have. */
function linesOnlyIn(text: string, other: string): readonly string[] {
  const lines = other.split('\n')
  return text.split('\n').filter((line) => !lines.includes(line))
}

const CHANGELOG = `# Changelog

## Unreleased

### Added

- A second thing.

## 0.1.0 – 2026-01-02

- A first thing.
`

describe('the start of README and guides', () => {
  it('is one command from a clone, which a release replaces by npm create', () => {
    const before = read('README.md')
    const after = withPublishedStart(before)
    expect(linesOnlyIn(before, after)).toEqual([
      'npm ci && npm run create -- ../my-server && cd ../my-server',
      'In a clone of this repository, the first command packs Edgeway into the new folder.',
      'Or paste this into your coding agent, in a clone of this repository:',
      '2. Run: npm ci && npm run create -- ../my-server --auth open --yes',
      '`npm run edgeway -- doctor https://…/mcp` says [why a client does not connect](docs/guides/when-a-client-does-not-connect.md).',
    ])
    expect(linesOnlyIn(after, before)).toEqual([
      'npm create edgeway my-server && cd my-server',
      'Or paste this into your coding agent:',
      '2. Run: npm create --yes edgeway@latest my-server -- --auth open --yes',
      '`npx --yes edgeway@latest doctor https://…/mcp` says [why a client does not connect](docs/guides/when-a-client-does-not-connect.md).',
    ])
  })

  it.each(START_FILES)('does not need a clone in %s after a release', (file) => {
    expect(withPublishedStart(read(file))).not.toMatch(/npm run create|clone/)
  })

  it('runs a script that the package has', () => {
    const { scripts } = JSON.parse(read('package.json'))
    expect(scripts.create).toBe('node packages/cli/src/edgeway.ts init')
  })
})

describe('the button of README', () => {
  const released = withDeployButton(read('README.md'), 'https://github.com/owner/edgeway')

  it('is absent before a release, and names the repository after it', () => {
    expect(linesOnlyIn(read('README.md'), released)).toEqual([])
    const added = linesOnlyIn(released, read('README.md'))
    expect(added).toEqual([
      '[![Deploy to Cloudflare](https://deploy.workers.cloudflare.com/button)](https://deploy.workers.cloudflare.com/?url=https://github.com/owner/edgeway)',
      'The button deploys the notebook. It asks for the origin and the passphrase. By hand:',
    ])
  })

  it('has the new address when the repository has moved', () => {
    const moved = withDeployButton(released, 'https://gitlab.com/group/edgeway')
    expect(moved).toBe(
      released.replace('https://github.com/owner/edgeway', 'https://gitlab.com/group/edgeway'),
    )
  })

  it.each([
    ['https://github.com/owner/edgeway.git', 'https://github.com/owner/edgeway'],
    ['git@github.com:owner/edgeway.git\n', 'https://github.com/owner/edgeway'],
    ['https://gitlab.com/group/edgeway', 'https://gitlab.com/group/edgeway'],
    ['https://git.example.com/owner/edgeway.git', undefined],
    ['/srv/git/edgeway', undefined],
    ['', undefined],
  ])('is left out where Cloudflare cannot clone the remote: %j becomes %j', (remote, address) => {
    expect(publicRepository(remote)).toBe(address)
  })
})

describe('the notes of a release', () => {
  it('are the section of the version', () => {
    expect(notesOf(CHANGELOG, '0.1.0')).toBe('- A first thing.')
  })

  it('are the unreleased changes before the release', () => {
    expect(notesOf(CHANGELOG, '0.2.0')).toBe('### Added\n\n- A second thing.')
  })

  it('are found in the changelog of this repository', () => {
    const { version } = JSON.parse(read('package.json'))
    expect(notesOf(read('CHANGELOG.md'), version)).toContain('### Added')
  })
})

describe('the changelog of a release', () => {
  it('has the unreleased changes below the version and the date', () => {
    const released = withRelease(CHANGELOG, '0.2.0', '2026-03-04')
    expect(released).toContain('## Unreleased\n\n## 0.2.0 – 2026-03-04\n\n### Added')
    expect(notesOf(released, '0.2.0')).toBe('### Added\n\n- A second thing.')
  })

  it('is refused for a version that it has, and without changes', () => {
    expect(() => withRelease(CHANGELOG, '0.1.0', '2026-03-04')).toThrow('it was released')
    const empty = withRelease(CHANGELOG, '0.2.0', '2026-03-04')
    expect(() => withRelease(empty, '0.3.0', '2026-03-05')).toThrow('no unreleased changes')
  })
})
