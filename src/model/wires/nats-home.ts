/** The folder of a home in which its own NATS server keeps its files. */
export const NATS_FOLDER = 'nats'

/** The file in that folder that holds the server's URL, with its password. */
export const NATS_URL_FILE = 'url'
