// The types of vendor.js, for `npm run types` in the folder vendor/ alone: browsers never load this file.
export * from "../../../../vendor/entry.js";
