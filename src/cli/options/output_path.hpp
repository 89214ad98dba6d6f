// Chooses the default path of the result, and protects the files that result and report must never replace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kann/cloud_file.hpp"
#include "kann/io.hpp"

#include "cli/options/options.hpp"
#include "formats/files/output_file.hpp"

namespace kann::cli {

/// Whether a path is standard input: "-", "/dev/stdin", or another name of its descriptor.
bool is_stdin(const std::string& path);

/// Whether the given output path gives each job a file of its own, since it is a folder (it ends with a slash, or
/// exists) or contains {stem}, {name} or {index}.
bool names_each_job(const std::string& output);

/// Fills in `output` (by default `<query stem>.knn.npz`, or `.clusters.npz`, in the current folder or the given one;
/// placeholders in a pattern are replaced) and `output_format` (from the extension). Also fills in the patterns of
/// pictures and of the file to compare with. In a table of --join, k is 1 unless it was given.
/// @throws Error usage if no format has that extension, or the pattern has an unknown placeholder.
void choose_output(Options& options, std::int64_t job_number);

/// The file of a rank's part of the rows: "q.knn.npz", rank 2 of 8 → "q.knn.2-of-8.npz".
std::string output_of_rank(const std::string& output, int rank, int ranks);

/// A file that a job makes, and the option that names it, for messages.
struct OutputPath {
  std::string path;
  std::string_view option;
};

/// The files of the result (the format npy has a second one, for the distances) and of pictures.
std::vector<OutputPath> output_paths(const Options& options);

/// Whether all files of output_paths() exist. They are then complete, since a result gets its name last.
bool has_result(const Options& options);

/// The files that a job writes, as far as they are asked for.
struct OutputFiles {
  std::optional<NeighborFile> result;  ///< this, or
  std::optional<CloudFile> cloud;      ///< this, or
  std::unique_ptr<formats::OutputFile> table;
  std::unique_ptr<formats::OutputFile> picture;
};

/// Opens the files, and makes their folders: the folder of the result if options.makes_folder, those of pictures in a
/// batch.
/// @throws Error as NeighborFile.
OutputFiles open_outputs(const Options& options);

/// The folder, or the nearest one above it that exists; "" is the current one.
std::filesystem::path nearest_folder(std::filesystem::path folder);

/// Refuses what open_outputs() cannot open, as far as that is known without making a file or a folder. Existing files
/// pass, whether or not they may be replaced. @throws Error resources.
void check_outputs(const Options& options);

/// Refuses to replace an input by the result, under any name or link, or to write to an input that is also stdout.
/// @throws Error usage; bad_input for an input whose path cannot be resolved, such as a circle of links.
void protect_inputs(const Options& options);

/// Whether the report and the page of --html may replace a file: with --force and, since a run that leaves out what
/// exists reports it anew, with --skip-existing.
bool replaces_reports(const Options& options);

/// Refuses to replace an input, the result or, unless replaces_reports(), any other file by the report or the page of
/// --html. Also refuses a folder and a file that cannot be written. For a job of a batch, whose report has been begun
/// already, only input and result are compared.
/// @throws Error usage, resources.
void protect_files_from_report(const Options& options);
void protect_files_from_page(const Options& options);

}  // namespace kann::cli
