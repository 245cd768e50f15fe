/**
 * The members of `directory.json` that a directory limits. The file is read and its types are checked in `cli/submit`,
 * whose `Listing` fits this type. The rules read every member as if it were unchecked.
 */

type Case = {
  readonly description?: string | undefined
  readonly prompt?: string | undefined
  readonly tools?: readonly string[] | undefined
  readonly expected?: string | undefined
}

type Justification = {
  readonly readOnly?: string | undefined
  readonly openWorld?: string | undefined
  readonly destructive?: string | undefined
}

export interface ListingFacts {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly shortDescription?: string | undefined
  readonly description?: string | undefined
  readonly website?: string | undefined
  readonly documentation?: string | undefined
  readonly support?: string | undefined
  readonly privacy?: string | undefined
  readonly terms?: string | undefined
  readonly company?: { readonly name?: string | undefined } | undefined
  readonly logo?: string | undefined
  readonly brandColor?: string | undefined
  readonly brandColorDark?: string | undefined
  readonly starterPrompts?: readonly string[] | undefined
  readonly cases?:
    | { readonly positive?: readonly Case[]; readonly negative?: readonly Case[] }
    | undefined
  readonly justifications?: Readonly<Record<string, Justification>> | undefined
  readonly demoRecording?: string | undefined
  readonly releaseNotes?: string | undefined
  readonly claude?: ClaudeListing | undefined
  readonly openai?: OpenaiListing | undefined
}

interface ClaudeListing {
  readonly name?: string | undefined
  readonly oneLiner?: string | undefined
  readonly description?: string | undefined
  readonly categories?: readonly string[] | undefined
  readonly slug?: string | undefined
  readonly screenshots?: readonly string[] | undefined
}

interface OpenaiListing {
  readonly category?: string | undefined
  readonly capabilities?: readonly string[] | undefined
  readonly frameDomains?: Readonly<Record<string, string>> | undefined
  readonly screenshots?: readonly string[] | undefined
}
