/** The logos and screenshots that a listing names: their bytes, and what their headers say. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { imageSize } from 'image-size'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import type { Listing } from './listing.ts'

export interface ImageFile {
  /** The member of the listing. */
  readonly member: string
  /** As the listing names it. */
  readonly path: string
  readonly bytes: Uint8Array
  /** By the content: `png`, `jpg`, `webp`, `svg`, or another one. */
  readonly type: string
  readonly width: number
  readonly height: number
}

export const LOGOS = ['logo', 'logoDark', 'icon', 'iconDark'] as const

export interface ImageFiles {
  readonly logos: Readonly<Partial<Record<(typeof LOGOS)[number], ImageFile>>>
  readonly claudeScreenshots: readonly ImageFile[]
  readonly openaiScreenshots: readonly ImageFile[]
}

const MAX_IMAGE_BYTES = 20 * 1024 * 1024

/** @throws {CommandError} for a path that leads to no image within the project */
export function readImages(listing: Listing, folder: string, root: string): ImageFiles {
  const read = (member: string, path: string) => readImage(member, path, folder, root)
  const all = (member: string, paths: readonly string[] = []) =>
    paths.map((path, at) => read(`${member}[${at}]`, path))
  const logos = LOGOS.flatMap((member) => {
    const path = listing[member]
    return path === undefined ? [] : [[member, read(member, path)] as const]
  })
  return {
    logos: Object.fromEntries(logos),
    claudeScreenshots: all('claude.screenshots', listing.claude?.screenshots),
    openaiScreenshots: all('openai.screenshots', listing.openai?.screenshots),
  }
}

function readImage(member: string, path: string, folder: string, root: string): ImageFile {
  const fail = (why: string) => new CommandError(`"${member}" of directory.json: ${why}`)
  const name = printable(path, 400)
  const file = resolve(folder, path)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw fail(`there is no file ${name}`)
  // A link may lead out of the project, whose other files are not published.
  const real = realpathSync(file)
  if (![folder, root].some((place) => real.startsWith(`${realpathSync(place)}${sep}`))) {
    throw fail(`${name} is outside of the project. Copy the file into it`)
  }
  if (found.size > MAX_IMAGE_BYTES) throw fail(`${name} has more than ${MAX_IMAGE_BYTES} bytes`)
  const bytes = readFileSync(real)
  try {
    const { type = '', width, height } = imageSize(bytes)
    return { member, path, bytes, type, width, height }
  } catch {
    throw fail(`${name} is no image: write a PNG, JPEG, WebP or SVG file`)
  }
}
