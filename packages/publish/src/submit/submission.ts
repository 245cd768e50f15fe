/** What a submission is made of: the definition of one server, the listing of its author, and the files that it names. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { readSecretFiles } from '../../../doctor/src/config/local-secrets.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { type ImageFiles, readImages } from './image-files.ts'
import type { Listing } from './listing.ts'
import { LISTING_FILE, readListing } from './read-listing.ts'
import type { Source } from './source.ts'

export interface Submission extends Source {
  readonly listing: Listing
  /** The folder of the listing. */
  readonly folder: string
  readonly images: ImageFiles
  /** The SPDX identifier. */
  readonly license?: string | undefined
  /** The text of the license. */
  readonly licenseText?: string | undefined
}

/**
 * @param path a folder, or the configuration file of a project
 * @param file the listing
 * @param readSource called when the listing is read: it takes seconds
 * @throws {CommandError}
 */
export async function readSubmission(
  path: string,
  file: string,
  readSource: (listing: Listing) => Promise<Source>,
): Promise<Submission> {
  const listing = readListing(file)
  const folder = dirname(file)
  const source = await readSource(listing)
  const root = resolve(projectFolder(path))
  await refuseLocalSecrets(root, listing, file)
  const places = [...new Set([folder, root])]
  return {
    ...source,
    ...{ listing, folder },
    images: readImages(listing, folder, root),
    license: listing.license?.trim() || licenseOf(places),
    licenseText: licenseTextIn(places),
  }
}

/** The listing of a project: `directory.json` in its folder, unless another file is given. */
export const listingFile = (path: string, given: string | undefined): string =>
  resolve(given ?? join(projectFolder(path), LISTING_FILE))

/** The folder of a project that is named by its folder or its configuration file. */
export function projectFolder(path: string): string {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  return isFile ? dirname(path) : path
}

const MIN_SECRET_CHARACTERS = 8

/** A secret of the project that was pasted into the listing, in whichever form it has. */
export async function refuseLocalSecrets(
  root: string,
  listing: Listing,
  file: string,
): Promise<void> {
  const text = JSON.stringify(listing)
  for (const { name, values } of readSecretFiles(root)) {
    const found = [...values].find(
      ([, value]) =>
        value.length >= MIN_SECRET_CHARACTERS &&
        !/^(?:replace-me|development|https?:\/\/[^@]*)$/.test(value) &&
        text.includes(JSON.stringify(value).slice(1, -1)),
    )
    if (found === undefined) continue
    throw new CommandError(
      `${printable(file, 1000)} contains the value of ${printable(found[0])} in ${printable(name)}. Remove it and replace the secret: it belongs in the form of the directory, where only reviewers read it`,
    )
  }
}

/** That of the nearest `package.json`. */
function licenseOf(places: readonly string[]): string | undefined {
  for (const place of places) {
    const file = join(place, 'package.json')
    const value = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined
    if (isJsonObject(value) && typeof value.license === 'string') return value.license
  }
  return undefined
}

const LICENSE_NAMES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'COPYING']

function licenseTextIn(places: readonly string[]): string | undefined {
  const files = places.flatMap((place) => LICENSE_NAMES.map((name) => join(place, name)))
  const found = files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
  return found === undefined ? undefined : readFileSync(found, 'utf8').replaceAll('\r\n', '\n')
}
