/**
 * Relates words of one meaning: a person says "kick" and "teammate" where an API says `remove` and `member`. The groups are
 * the usual names of actions and things in software and their synonyms in everyday English, as a thesaurus has them.
 */
import { wordOf } from './words.ts'

/**
 * After `|` are words that have the meaning in a question alone: "put" in a description of a tool is no sign that it
 * creates something. `calloff` is a verb with its particle: see `question.ts`. A word may be in several groups.
 */
const GROUPS = [
  'add create insert introduce make new open register start generate|setup put write begin post build compose report raise file',
  'add assign invite include attach enroll join|put bring give let signup allow',
  'delete destroy drop erase remove revoke cancel discard purge trash wipe uninstall|kick expel throwaway throwout takedown takeoff takeout takeaway getrid calloff cut fire',
  'change edit modify set update adjust replace rename|alter swap switch fix correct',
  'fetch get list read retrieve return see show view|display check look who which what',
  'find look query search|locate',
  'cancel end stop terminate abort close shutdown|halt calloff kill turnoff quit',
  'restart reboot reset|again',
  'retry rerun redo restart|again repeat',
  'start run launch execute trigger boot|turnon play',
  'pause hold suspend',
  'resume continue unpause',
  'clone copy duplicate fork replicate',
  'restore recover revert undo rollback undelete|bringback',
  'ban block suspend lock',
  'disable deactivate|turnoff switchoff',
  'mute snooze silence',
  'enable activate|turnon switchon',
  'move transfer migrate',
  'resize scale size|bigger larger grow shrink',
  'merge combine|bring',
  'attach upload share|put',
  'download export',
  'deploy publish release|ship',
  'send post share deliver|write dm forward',
  'follow subscribe subscription watch',
  'like love favorite star bookmark|heart',
  'react reaction emoji',
  'approve accept confirm',
  'reject decline deny refuse dismiss',
  'archive hide close|getrid putaway',
  'schedule plan book reserve|appointment',
  'complete done finish check resolve|tick',
  'refund reimburse|giveback payback',
  'buyer client customer shopper',
  'colleague member people person user employee staff teammate coworker collaborator contributor author participant attendee registrant|who friend guest',
  'email mail message notification notify|dm text',
  'bill invoice|owe',
  'bug issue ticket|problem',
  'amount fund money',
  'avatar icon image photo picture thumbnail',
  'attachment document file|doc',
  'link url',
  'access allow permission role grant|let right',
  'id identifier key',
  'key token secret credential',
  'config configuration option preference setting',
  'directory folder',
  'repo repository project',
  'company org organization workspace|business',
  'team group department',
  'channel chat conversation room|thread',
  'meeting conference event|call appointment',
  'video film movie clip',
  'song track|music',
  'album collection playlist',
  'server machine instance vm host|computer box',
  'disk drive volume storage',
  'backup snapshot',
  'cost price',
  'audit history log record',
  'comment note reply|remark say write feedback',
  'state status',
  'job task todo',
  'tag label',
  'pipeline build job',
  'release version',
  'statistic analytic metric usage count report',
  'site website page',
]

type Meanings = Map<string, Set<string>>

interface ReadMeanings {
  readonly ofTools: Meanings
  readonly ofQuestions: Meanings
}

let read: ReadMeanings | undefined

/** The names of the meanings that a word of a tool shares with others, which no word is. */
export function meaningsOf(word: string): ReadonlySet<string> {
  return meanings().ofTools.get(word) ?? NONE
}

/** The same for a word of a question, or for a verb with its particle: `calloff`. */
export function askedMeaningsOf(word: string): ReadonlySet<string> {
  return meanings().ofQuestions.get(word) ?? NONE
}

const NONE: ReadonlySet<string> = new Set()

function meanings(): ReadMeanings {
  if (read !== undefined) return read
  read = { ofTools: new Map(), ofQuestions: new Map() }
  for (const [index, line] of GROUPS.entries()) {
    const [ofBoth = '', ofQuestions = ''] = line.split('|')
    addMeaning(read.ofTools, ofBoth, index)
    addMeaning(read.ofQuestions, `${ofBoth} ${ofQuestions}`, index)
  }
  return read
}

function addMeaning(meanings: Meanings, words: string, index: number): void {
  for (const token of words.match(/\w+/g) ?? []) {
    // Some words say nothing of a tool, such as "who".
    const word = wordOf(token) ?? token
    const own = meanings.get(word) ?? new Set()
    meanings.set(word, own.add(`=${index}`))
  }
}
