/** The codes of what directories refuse. */
export type DirectoryCode = string
