/** How a tool and its client agree on files in arguments where the client cannot be asked. */

/** The member of the `_meta` of a result with the pages that receive files, with which a program continues. */
export const UPLOADS_META = 'dev.edgeway/uploads'

/** What a model passes for a file that the person has. */
export const UPLOAD = 'upload'
