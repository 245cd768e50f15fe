/**
 * What the rules of listings compare: the members of `directory.json` that a directory limits. The file is read in
 * `cli/submit/listing.ts`, whose `Listing` fits this type.
 */
export interface ListingFacts {
  readonly name?: string
}
